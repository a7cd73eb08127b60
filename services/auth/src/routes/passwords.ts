import { type App, requireUser } from '@skyfolio/kit'
import type { PasswordChanges } from '../accounts/password-changes.ts'
import { readPasswordChange, readPasswordReset, readResetAddress } from '../accounts/password-forms.ts'
import { CHANGE_PASSWORD, CONFIRM_PASSWORD, REQUEST_RESET, RESET_PASSWORD } from './password-schemas.ts'
import { rememberDevice, type SessionCookieDeps, setSessionCookie } from './session-cookies.ts'

export interface PasswordRouteDeps extends Pick<SessionCookieDeps, 'secureCookies' | 'devices'> {
  passwordChanges: PasswordChanges
}

/** Change, confirmation and reset of passwords. */
export function passwordRoutes(app: App, deps: PasswordRouteDeps): void {
  const { passwordChanges } = deps

  app.post('/api/user/password', { config: { access: 'user' }, schema: CHANGE_PASSWORD }, async (request, reply) => {
    const identity = requireUser(request)
    const session = await passwordChanges.change(identity, readPasswordChange(request.body, identity.username))
    setSessionCookie(deps, session, reply)
    rememberDevice(deps, identity.username, request, reply)
    reply.code(204)
    return null
  })

  app.post(
    '/api/user/confirm-password',
    { config: { access: 'user' }, schema: CONFIRM_PASSWORD },
    async (request, reply) => {
      await passwordChanges.confirm(requireUser(request), request.body.password)
      return reply.code(204).send(null)
    },
  )

  app.post('/api/password-reset', { config: { access: 'public' }, schema: REQUEST_RESET }, async (request, reply) => {
    await passwordChanges.requestReset(readResetAddress(request.body), request.identity.address)
    reply.code(202)
    return {}
  })

  app.post(
    '/api/password-reset/confirm',
    { config: { access: 'public' }, schema: RESET_PASSWORD },
    async (request, reply) => {
      const username = await passwordChanges.reset(readPasswordReset(request.body), request.identity.address)
      rememberDevice(deps, username, request, reply)
      reply.code(204)
      return null
    },
  )
}
