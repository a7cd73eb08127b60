import { type App, requireUser } from '@skyfolio/kit'
import type { Addresses } from '../accounts/addresses.ts'
import { CONFIRM_EMAIL, REVERT_EMAIL, SEND_CONFIRMATION } from './account-schemas.ts'
import { type SessionCookieDeps, setSessionCookie } from './session-cookies.ts'

export interface AddressRouteDeps extends Pick<SessionCookieDeps, 'secureCookies'> {
  addresses: Addresses
}

/** What mails about an address lead to. Their tokens are enough: the links also work where nobody is signed in. */
export function addressRoutes(app: App, deps: AddressRouteDeps): void {
  const { addresses } = deps
  const config = { access: 'public' } as const

  app.post(
    '/api/user/email/confirmation',
    { config: { access: 'user' }, schema: SEND_CONFIRMATION },
    async (request, reply) => {
      await addresses.sendConfirmation(requireUser(request).userId)
      reply.code(202)
      return {}
    },
  )
  app.post('/api/user/email/confirm', { config, schema: CONFIRM_EMAIL }, async (request, reply) => {
    await addresses.confirm(request.body, request.identity.address)
    return reply.code(204).send(null)
  })
  app.post('/api/user/email/revert', { config, schema: REVERT_EMAIL }, async (request, reply) => {
    const session = await addresses.revert(request.body.token ?? '', request.identity)
    if (session) setSessionCookie(deps, session, reply)
    return reply.code(204).send(null)
  })
}
