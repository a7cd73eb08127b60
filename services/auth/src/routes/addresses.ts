import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { confirmByLink, revertByLink, sendConfirmation } from '../accounts/addresses.ts'
import { LinkToken } from '../accounts/forms.ts'
import type { AuthDeps } from '../deps.ts'
import { setSessionCookie } from './session-cookies.ts'

const SEND_CONFIRMATION = {
  summary: "Sends the mail that confirms the user's address again",
  response: { 202: Type.Object({}), ...errorResponses },
}
const CONFIRM_EMAIL = {
  summary: 'Confirms an address; one that was changed after the registration also needs the password',
  body: Type.Object({ token: LinkToken, password: Type.Optional(Type.String()) }),
  response: { 204: Type.Null(), ...errorResponses },
}
const REVERT_EMAIL = {
  summary: "Takes a change of the address back and ends the user's other sessions",
  body: Type.Object({ token: LinkToken }),
  response: { 204: Type.Null(), ...errorResponses },
}

const user = { access: 'user' } as const
const anyone = { access: 'public' } as const

/** What mails about an address lead to. Their tokens are enough: the links also work where nobody is signed in. */
export function addressRoutes(app: App, deps: AuthDeps): void {
  app.post('/api/user/email/confirmation', { config: user, schema: SEND_CONFIRMATION }, async (request, reply) => {
    await sendConfirmation(deps, requireUser(request).userId)
    reply.code(202)
    return {}
  })
  app.post('/api/user/email/confirm', { config: anyone, schema: CONFIRM_EMAIL }, async (request, reply) => {
    const { token = '', password = '' } = request.body
    await confirmByLink(deps, token, { password, address: request.identity.address })
    return reply.code(204).send(null)
  })
  app.post('/api/user/email/revert', { config: anyone, schema: REVERT_EMAIL }, async (request, reply) => {
    const session = await revertByLink(deps, request.body.token ?? '', request.identity)
    if (session) setSessionCookie(deps, session, reply)
    return reply.code(204).send(null)
  })
}
