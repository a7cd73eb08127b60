import type { App } from '@skyfolio/kit'
import { readRegistration } from '../accounts/registration.ts'
import { REGISTER, userBody } from './schemas.ts'
import { type SessionCookieDeps, startSession } from './session-cookies.ts'

export function registrationRoutes(app: App, deps: SessionCookieDeps): void {
  app.post('/api/register', { config: { access: 'public' }, schema: REGISTER }, async (request, reply) => {
    const user = await deps.accounts.register(readRegistration(request.body), request.identity.address)
    await startSession(deps, { user, isPersistent: true }, request, reply)
    reply.code(201)
    return userBody(user)
  })
}
