import { type App, requireUser } from '@skyfolio/kit'
import type { Accounts } from '../accounts/accounts.ts'
import { GET_USER, userBody } from './schemas.ts'

export interface UserRouteDeps {
  accounts: Accounts
}

/** The signed-in user, read from the database, so that changes by an administrator show at once. */
export function userRoutes(app: App, { accounts }: UserRouteDeps): void {
  app.get('/api/user', { config: { access: 'user' }, schema: GET_USER }, async (request) =>
    userBody(await accounts.get(requireUser(request).userId)),
  )
}
