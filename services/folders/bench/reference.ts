// The reference, which stores nothing: `handler` parses and validates a vote and responds, and serves a page of the
// requested size; `proxy <port>` is @fastify/http-proxy with default settings in front of it.

import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import { IdParams } from '../src/routes/schemas.ts'
import { VoteBody } from '../src/routes/votes.ts'

const [role, upstreamPort] = process.argv.slice(2)
const app = Fastify({ ajv: { customOptions: { keywords: ['x-message'] } } })
if (role === 'proxy') {
  await app.register(httpProxy, { upstream: `http://127.0.0.1:${upstreamPort}` })
} else {
  app.post('/api/photos/:id/rank', { schema: { params: IdParams, body: VoteBody } }, async () => ({
    rankings: { first: 1, second: 2, third: 3 },
  }))
  const pages = new Map<number, Buffer>()
  app.get<{ Params: { bytes: string } }>('/static/:bytes', async (request, reply) => {
    const bytes = Number(request.params.bytes)
    const page = pages.get(bytes) ?? Buffer.alloc(bytes, '{"static":"body"}')
    pages.set(bytes, page)
    return reply.type('application/json').send(page)
  })
}
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
