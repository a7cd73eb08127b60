import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Message } from '../message.ts'
import type { Messages } from '../messages.ts'
import { SCRIPT, STYLE } from './assets.ts'
import { Html, html } from './html.ts'

const MAX_SHOWN = 200

export function addPage(app: FastifyInstance, messages: Messages): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null))
  app.get<{ Querystring: { to?: string } }>('/', async ({ query }, reply) =>
    sendPage(reply, 'Mailbox', list(messages, String(query.to ?? ''))),
  )
  app.post('/forms/delete', async (_request, reply) => {
    await messages.clear()
    return reply.redirect('/', 303)
  })
  app.get<{ Params: { id: string } }>('/messages/:id', async ({ params }, reply) => {
    const message = messages.get(params.id)
    if (!message) return reply.code(404).send({ message: 'This message is not kept any more.' })
    return sendPage(reply, `${message.subject}: Mailbox`, oneMessage(message))
  })
  app.get<{ Params: { id: string } }>('/messages/:id/html', async ({ params }, reply) => {
    reply.headers({
      'content-security-policy': FRAME_POLICY,
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
    })
    return reply.type('text/html; charset=utf-8').send(frameDocument(messages.get(params.id)?.html ?? ''))
  })
}

function sendPage(reply: FastifyReply, title: string, main: Html): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const sources = `connect-src 'self'; frame-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
  const policy = `default-src 'none'; ${sources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
  reply.header('content-security-policy', policy)
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${title}</title><style nonce="${nonce}">${new Html(STYLE)}</style></head>
<body><header><h1><a href="/">Mailbox: no mail leaves it</a></h1>
<p class="dim">Every mail that Skyfolio sends ends here. The README of deploy/mailbox describes the API.</p></header>
<main>${main}</main><script nonce="${nonce}">${new Html(SCRIPT)}</script></body></html>`
  return reply.type('text/html; charset=utf-8').send(page.text)
}

/** The filter, what deletes all messages, and the newest of them. The script replaces the list when it changes. */
function list(messages: Messages, to: string): Html {
  const found = messages.find(to)
  const count = `${found.length} ${found.length === 1 ? 'message' : 'messages'}${to && ` to "${to}"`}`
  return html`<form class="row"><label>Recipient <input name="to" type="search" value="${to}" placeholder="any"
      autocomplete="off" spellcheck="false" /></label><button>Filter</button></form>
    <div id="list" data-changes="${messages.changes}"><form method="post" action="/forms/delete" class="row">
    <p id="count" class="dim" role="status">${count}${found.length > MAX_SHOWN ? `, the newest ${MAX_SHOWN} are shown` : ''}</p>
    <button class="danger" ${new Html(found.length > 0 ? '' : 'disabled')}>Delete all</button></form>
    <ol>${found.slice(0, MAX_SHOWN).map(listEntry)}</ol></div>`
}

function listEntry({ id, subject, date, to, from }: Message): Html {
  return html`<li><a href="/messages/${id}"><span class="line"><b>${subject || '(no subject)'}</b>${timeOf(date)}</span>
    <span class="dim">To ${to.join(', ')}<br />From ${from}</span></a></li>`
}

function oneMessage({ id, subject, date, to, from, html: document, text, source }: Message): Html {
  return html`<a href="/">All messages</a><h2>${subject || '(no subject)'}</h2>
    <dl><dt>From</dt><dd>${from}</dd><dt>To</dt><dd>${to.join(', ')}</dd>
    <dt>Received</dt><dd>${timeOf(date)}</dd></dl>
    <iframe title="The message as HTML" src="/messages/${id}/html" ${new Html(document ? '' : 'hidden')}
      sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>
    <details ${new Html(document ? '' : 'open')}><summary>Text</summary><pre tabindex="0">${text}</pre></details>
    <details><summary>Source</summary><pre tabindex="0">${source}</pre></details>`
}

/** The script shows it in the time zone of the browser. */
function timeOf(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}

/** A message's HTML runs no scripts, loads nothing and submits nothing, also when it is opened without the page around it. */
const FRAME_POLICY = [
  `default-src 'none'`,
  `style-src 'unsafe-inline'`,
  'img-src data:',
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'self'`,
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

/** The HTML with links that open in a tab of their own and tell nobody where they were clicked. */
function frameDocument(html: string): string {
  return (
    html
      // Of two attributes with the same name the first one counts.
      .replaceAll(/<(a|area)(?=[\s/>])/gi, '<$1 target="_blank" rel="noreferrer noopener"')
      // The policy does not cover connections that a link element opens in advance.
      .replaceAll(/<link(?=[\s/>])/gi, '<x-link')
  )
}
