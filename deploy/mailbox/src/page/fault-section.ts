import { type Fault, type Faults, REPLIES } from '../state/faults.ts'
import { type Html, html } from './html.ts'

const EFFECTS: Record<Fault['reply'], string> = {
  busy: 'try again later',
  reject: 'recipient rejected',
  'drop-after-data': 'kept, connection dropped before the answer',
  hang: 'no answer',
  'connection-refused': 'connection refused',
}

/** What goes wrong at present, and what sets it. */
export function faultSection({ current }: Faults): Html {
  return html`${current ? activeFault(current) : ''}
    <details><summary>Make mails fail</summary><form method="post" action="/forms/faults" class="row">
    <label>How <select name="reply">${REPLIES.map((reply) => html`<option value="${reply}">${EFFECTS[reply]}</option>`)}</select></label>
    <label>Every n-th mail <input name="every" type="number" min="1" max="1000000" value="1" /></label>
    <button>Set</button></form></details>`
}

function activeFault({ reply, every, to, code, hits }: Fault): Html {
  const which = every === 1 ? 'Every mail' : `One mail in ${every}`
  return html`<form method="post" action="/forms/faults" class="row notice">
    <p>${which}${to ? ` to ${to}` : ''}: ${EFFECTS[reply]}${code ? ` (${code})` : ''}. ${hits} so far.</p>
    <button name="remove" value="true">Remove</button></form>`
}
