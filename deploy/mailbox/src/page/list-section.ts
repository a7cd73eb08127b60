import type { StoredMessage } from '../state/message.ts'
import type { Messages } from '../state/messages.ts'
import { Html, html } from './html.ts'

const MAX_SHOWN = 200

/** The filter, what deletes all messages, and the newest of them. */
export function listSection(messages: Messages, { to, id }: { to: string; id: string }): Html {
  const shown = messages.find({ toPart: to, limit: MAX_SHOWN })
  const count = to ? messages.count(to) : messages.size
  const rest = count > shown.length ? `, the newest ${shown.length} are shown` : ''
  const clear = to ? html`<a class="button" href="${id ? `/messages/${id}` : '/'}">Show all</a>` : ''
  return html`<form class="row filter"><label>Recipient <input name="to" type="search" value="${to}" placeholder="any"
      autocomplete="off" spellcheck="false" /></label><button>Filter</button>${clear}</form>
    <form method="post" action="/forms/delete" class="row above-list">
    <p id="count" class="dim" role="status">${count} ${count === 1 ? 'message' : 'messages'}${to && ` to "${to}"`}${rest}</p>
    <button class="danger" ${new Html(messages.size > 0 ? '' : 'disabled')}>Delete all</button></form>
    <ol id="list">${shown.map((message) => listEntry(message, { to, id }))}</ol>`
}

function listEntry(message: StoredMessage, { to, id }: { to: string; id: string }): Html {
  const query = to ? `?${new URLSearchParams({ to })}` : ''
  const current = new Html(message.id === id ? 'aria-current="page"' : '')
  return html`<li><a href="/messages/${message.id}${query}" ${current}>
    <span class="line"><b>${message.subject || '(no subject)'}</b>${timeOf(message.receivedAt)}</span>
    <span class="dim">To ${message.recipients.join(', ')}<br />From ${message.from || message.sender}</span></a></li>`
}

/** The script shows it in the time zone of the browser. */
export function timeOf(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}
