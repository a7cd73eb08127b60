import type { FastifyInstance } from 'fastify'
import { REPLIES, type Reply } from '../state/faults.ts'
import type { MailboxState } from '../state/state.ts'

type Form = Record<string, string>

/** What the forms of the page post; each leads back to the list. */
export function addForms(app: FastifyInstance, { messages, faults }: MailboxState): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.post('/forms/delete', async (_request, reply) => {
    await messages.clear()
    return reply.redirect('/', 303)
  })
  app.post('/forms/faults', async ({ body }, reply) => {
    const { remove, reply: effect, every } = (body ?? {}) as Form
    if (remove) faults.clear()
    else if (REPLIES.includes(effect as Reply)) faults.set({ reply: effect as Reply, every: countOf(every) })
    else return reply.code(400).send({ message: 'There is no such fault.' })
    return reply.redirect('/', 303)
  })
}

function countOf(text = ''): number {
  return Math.min(1_000_000, Math.max(1, Math.floor(Number(text)) || 1))
}
