import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { confirmPassword } from '../accounts/check-password.ts'
import {
  PasswordChangeForm,
  PasswordForm,
  PasswordResetForm,
  ResetRequestForm,
  readPasswordChange,
  readPasswordReset,
  readResetAddress,
} from '../accounts/forms.ts'
import { changePassword, requestReset, resetPassword } from '../accounts/password-changes.ts'
import type { AuthDeps } from '../deps.ts'
import { rememberDevice, setSessionCookie } from './session-cookies.ts'

const CHANGE_PASSWORD = {
  summary: "Changes the password, ends the user's sessions and sets the cookie of a new one",
  body: PasswordChangeForm,
  response: { 204: Type.Null(), ...errorResponses },
}
const CONFIRM_PASSWORD = {
  summary:
    'Notes that the password was entered: for 15 minutes the session may change users, if it is of an administrator',
  body: PasswordForm,
  response: { 204: Type.Null(), ...errorResponses },
}
const REQUEST_RESET = {
  summary:
    'Sends a link for a new password to each account with this confirmed address; the response is always the same',
  body: ResetRequestForm,
  response: { 202: Type.Object({}), ...errorResponses },
}
const RESET_PASSWORD = {
  summary: 'Sets a new password with the token of such a link and ends all sessions of the user',
  body: PasswordResetForm,
  response: { 204: Type.Null(), ...errorResponses },
}

const user = { access: 'user' } as const
const anyone = { access: 'public' } as const

/** Change, confirmation and reset of passwords. */
export function passwordRoutes(app: App, deps: AuthDeps): void {
  app.post('/api/user/password', { config: user, schema: CHANGE_PASSWORD }, async (request, reply) => {
    const identity = requireUser(request)
    const session = await changePassword(deps, identity, readPasswordChange(request.body, identity.username))
    setSessionCookie(deps, session, reply)
    rememberDevice(deps, identity.username, request, reply)
    return reply.code(204).send(null)
  })

  app.post('/api/user/confirm-password', { config: user, schema: CONFIRM_PASSWORD }, async (request, reply) => {
    await confirmPassword(deps, requireUser(request), request.body.password ?? '')
    return reply.code(204).send(null)
  })

  app.post('/api/password-reset', { config: anyone, schema: REQUEST_RESET }, async (request, reply) => {
    await requestReset(deps, readResetAddress(request.body), request.identity.address)
    reply.code(202)
    return {}
  })

  app.post('/api/password-reset/confirm', { config: anyone, schema: RESET_PASSWORD }, async (request, reply) => {
    const username = await resetPassword(deps, readPasswordReset(request.body), request.identity.address)
    rememberDevice(deps, username, request, reply)
    return reply.code(204).send(null)
  })
}
