import type { App } from '@skyfolio/kit'
import { readCredentials } from '../accounts/credentials.ts'
import { LOGIN, LOGOUT, userBody } from './schemas.ts'
import { endSession, type SessionCookieDeps, startSession } from './session-cookies.ts'

const config = { access: 'public' } as const

/** Login and logout. */
export function sessionRoutes(app: App, deps: SessionCookieDeps): void {
  app.post('/api/login', { config, schema: LOGIN }, async (request, reply) => {
    const credentials = readCredentials(request.body)
    const device = deps.devices.find(request.headers.cookie, credentials.username)
    const user = await deps.accounts.signIn(credentials, { address: request.identity.address, device })
    const isPersistent = request.headers['x-remember-me'] !== 'false'
    await startSession(deps, { user, isPersistent }, request, reply)
    return userBody(user)
  })

  app.post('/api/logout', { config, schema: LOGOUT }, async (request, reply) => {
    await endSession(deps, request.identity, reply)
    return {}
  })
}
