import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import type { Accounts } from '../accounts/accounts.ts'
import { UserBody, userBody } from './schemas.ts'

/** The signed-in user, read from the database: what an administrator changed shows at once. */
export function userRoutes(app: App, accounts: Accounts): void {
  app.get(
    '/api/user',
    {
      config: { access: 'user' },
      schema: { summary: 'The signed-in user', response: { 200: UserBody, ...errorResponses } },
    },
    async (request) => userBody(await accounts.get(requireUser(request).userId)),
  )
}
