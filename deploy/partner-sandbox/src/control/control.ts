import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import { guard, requireKey } from '../../../mailbox/src/access.ts'
import type { SandboxState } from '../state/state.ts'
import { addApi } from './api.ts'
import { addPage } from './page.ts'

/** Control API and page, on a port of their own. */
export function buildControl(state: SandboxState): FastifyInstance {
  const app = Fastify({
    bodyLimit: 256 * 1024,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  })
  guard(app)
  requireKey(app, 'sandbox', state.settings.controlKey)
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) console.error(error)
    return reply.code(status).send({ message: status >= 500 ? 'The sandbox failed.' : error.message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'There is nothing here.' }))
  addApi(app, state)
  addPage(app, state)
  return app
}
