import type { FastifyInstance } from 'fastify'
import { type FaultRequest, REPLIES } from './state/faults.ts'
import { contentOf, summaryOf } from './state/message.ts'
import type { MailboxState } from './state/state.ts'

const whole = { type: 'integer', minimum: 1, maximum: 1_000_000 }

const faultSchema = {
  body: {
    type: 'object',
    properties: {
      reply: { type: 'string', enum: REPLIES },
      every: whole,
      times: whole,
      to: { type: 'string', minLength: 1, maxLength: 320 },
      code: { type: 'integer', minimum: 400, maximum: 599 },
      at: { type: 'string', enum: ['recipient', 'content'] },
    },
    required: ['reply'],
    additionalProperties: false,
  },
}

const listSchema = {
  querystring: {
    type: 'object',
    properties: {
      to: { type: 'string', maxLength: 320 },
      limit: { type: 'string', pattern: '^[1-9][0-9]{0,6}$' },
      view: { type: 'string', enum: ['summary'] },
      raw: { type: 'string', enum: ['true'] },
    },
    additionalProperties: false,
  },
}

interface ListQuery {
  to?: string
  limit?: string
  view?: 'summary'
  raw?: 'true'
}

/** The API: JSON for tests and scripts. */
export function addApi(app: FastifyInstance, state: MailboxState): void {
  const { messages, faults } = state
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/api/changes', async () => ({ changes: messages.changes }))
  app.get('/api/stats', async () => ({ ...state.stats, kept: messages.size }))
  app.delete('/api/stats', async (_request, reply) => {
    state.resetStats()
    return reply.code(204).send()
  })
  app.get('/api/faults', async () => faults.current ?? null)
  app.put<{ Body: FaultRequest }>('/api/faults', { schema: faultSchema }, async ({ body }, reply) => {
    try {
      return faults.set(body)
    } catch (error) {
      return reply.code(400).send({ message: (error as Error).message })
    }
  })
  app.delete('/api/faults', async (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  addMessages(app, state)
}

function addMessages(app: FastifyInstance, { messages }: MailboxState): void {
  app.get<{ Querystring: ListQuery }>('/api/messages', { schema: listSchema }, async ({ query }) => {
    const found = messages.find({ to: query.to, ...(query.limit && { limit: Number(query.limit) }) })
    if (query.view === 'summary') return found.map(summaryOf)
    const raw = (text: Buffer) => (query.raw ? { raw: text.toString('utf8') } : {})
    return Promise.all(found.map(async (message) => ({ ...(await contentOf(message)), ...raw(message.raw) })))
  })
  app.get<{ Params: { id: string } }>('/api/messages/:id', async ({ params }, reply) => {
    const message = messages.get(params.id)
    if (!message) return reply.code(404).send({ message: 'There is no such message.' })
    return { ...(await contentOf(message)), raw: message.raw.toString('utf8') }
  })
  app.delete('/api/messages', async (_request, reply) => {
    await messages.clear()
    return reply.code(204).send()
  })
}
