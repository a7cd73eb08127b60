import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import { addApi } from './api.ts'
import { guard } from './guard.ts'
import { addForms } from './page/forms.ts'
import { addPage } from './page/page.ts'
import { requireKey } from './page-key.ts'
import type { MailboxState } from './state/state.ts'

/** API and page. */
export function buildHttp(state: MailboxState): FastifyInstance {
  const app = Fastify({
    bodyLimit: 64 * 1024,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  })
  guard(app, state.settings.pageHosts)
  requireKey(app, state.settings.pageKey)
  // A page that has its own policy replaces these.
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) console.error(error)
    return reply.code(status).send({ message: status >= 500 ? 'The mailbox failed.' : error.message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'There is nothing here.' }))
  addApi(app, state)
  addForms(app, state)
  addPage(app, state)
  return app
}
