import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { contentOf } from '../state/message.ts'
import type { MailboxState } from '../state/state.ts'
import { SCRIPT, STYLE } from './assets.ts'
import { faultSection } from './fault-section.ts'
import { FRAME_POLICY, frameDocument } from './frame.ts'
import { Html, html } from './html.ts'
import { listSection } from './list-section.ts'
import { isView, messageSection } from './message-section.ts'

interface PageQuery {
  to?: string
  view?: string
}
type MessageRequest = { Params: { id: string }; Querystring: PageQuery }

const querystring = {
  type: 'object',
  properties: { to: { type: 'string', maxLength: 320 }, view: { type: 'string', maxLength: 20 } },
}

/** The page for people: a list of messages, and one of them. */
export function addPage(app: FastifyInstance, state: MailboxState): void {
  const { messages } = state
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send())
  app.get<{ Querystring: PageQuery }>('/', { schema: { querystring } }, async ({ query }, reply) => {
    const hint = html`<p class="hint dim">Choose a message.</p>`
    return sendPage(reply, state, { to: query.to ?? '', id: '', title: 'Mailbox', main: hint })
  })
  app.get<MessageRequest>('/messages/:id', { schema: { querystring } }, async ({ params, query }, reply) => {
    const [stored, to] = [messages.get(params.id), query.to ?? '']
    if (!stored) {
      const gone = html`<p class="hint">This message is not kept any more. <a href="/">All messages</a></p>`
      return sendPage(reply.code(404), state, { to, id: params.id, title: 'Mailbox', main: gone })
    }
    const content = await contentOf(stored)
    const view = isView(query.view) ? query.view : content.html ? 'html' : 'text'
    const main = messageSection({ message: content, raw: stored.raw, view, to })
    return sendPage(reply, state, { to, id: params.id, title: `${stored.subject}: Mailbox`, main })
  })
  app.get<MessageRequest>('/messages/:id/html', async ({ params }, reply) => {
    const stored = messages.get(params.id)
    if (!stored) return reply.code(404).send({ message: 'There is no such message.' })
    const content = await contentOf(stored)
    reply.headers({
      'content-security-policy': FRAME_POLICY,
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
    })
    return reply.type('text/html; charset=utf-8').send(frameDocument(content.html))
  })
}

interface PageContent {
  /** The filter. */
  to: string
  /** Of the message that is shown. */
  id: string
  title: string
  main: Html
}

function sendPage(reply: FastifyReply, state: MailboxState, { to, id, title, main }: PageContent): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const sources = `connect-src 'self'; frame-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
  const policy = `default-src 'none'; ${sources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
  reply.header('content-security-policy', policy)
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${title}</title><style nonce="${nonce}">${new Html(STYLE)}</style></head>
<body data-changes="${state.messages.changes}" class="${id ? 'one' : 'all'}">
<header class="top"><h1><a href="/">Mailbox: no mail leaves it</a></h1>
<p class="dim">Every mail that Skyfolio sends ends here. The README of deploy/mailbox describes the API.</p></header>
<main><section aria-label="Messages">${faultSection(state.faults)}${listSection(state.messages, { to, id })}</section>
<article id="message">${main}</article></main>
<script nonce="${nonce}">${new Html(SCRIPT)}</script></body></html>`
  return reply.type('text/html; charset=utf-8').send(page.text)
}
