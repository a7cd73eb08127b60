import Fastify, { type FastifyInstance } from 'fastify'
import { guard, requireKey } from './access.ts'
import type { FaultRequest } from './fault.ts'
import type { Messages } from './messages.ts'
import { addPage } from './page/page.ts'
import type { SmtpPort } from './smtp.ts'

/** API and page. */
export function buildHttp(messages: Messages, smtp: SmtpPort, pageKey?: string): FastifyInstance {
  const app = Fastify({ bodyLimit: 64 * 1024, requestTimeout: 30_000, forceCloseConnections: true })
  guard(app)
  requireKey(app, 'mailbox', pageKey)
  addApi(app, messages, smtp)
  addPage(app, messages)
  return app
}

function addApi(app: FastifyInstance, messages: Messages, smtp: SmtpPort): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/api/changes', async () => ({ changes: messages.changes }))
  app.get<{ Querystring: { to?: string } }>('/api/messages', async ({ query }) => messages.find(String(query.to ?? '')))
  app.delete('/api/messages', async (_request, reply) => {
    await messages.clear()
    return reply.code(204).send()
  })
  app.get('/api/fault', async () => smtp.fault ?? null)
  app.put<{ Body: FaultRequest }>('/api/fault', async ({ body }, reply) => {
    await smtp.setFault(body)
    return reply.code(204).send()
  })
  app.delete('/api/fault', async (_request, reply) => {
    await smtp.setFault(undefined)
    return reply.code(204).send()
  })
}
