import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { dollars } from '../catalog/products.ts'
import { localText } from '../catalog/promise-time.ts'
import { type Order, type OrderItem, statusText } from '../orders/order.ts'
import { FAULTS, ROUTES } from '../state/faults.ts'
import type { SandboxState } from '../state/state.ts'

const MAX_ORDERS = 50
const MAX_PRINTS = 24

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 1rem/1.45 system-ui, sans-serif }
section, article { border-top: 1px solid; padding: .5rem 0; overflow-wrap: anywhere }
ul { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none }
img { display: block; max-width: 8rem; max-height: 8rem }
button, select, input { font: inherit; min-height: 2.5rem }
`

/** Each button sends its call of the control API; a form adds its fields. Then the page is loaded again. */
const SCRIPT = `
document.addEventListener('click', async ({ target }) => {
  const { call, body } = target.dataset
  if (!call) return
  const fields = Object.entries(Object.fromEntries(new FormData(target.form ?? undefined))).filter(([, text]) => text !== '')
  const sent = body ?? JSON.stringify(Object.fromEntries(fields.map(([name, text]) => [name, name === 'times' ? Number(text) : text])))
  const [method, path] = call.split(' ')
  const hasBody = body !== undefined || target.form
  const response = await fetch(path, { method, ...(hasBody && { body: sent, headers: { 'content-type': 'application/json' } }) })
  if (response.ok) location.reload()
  else alert((await response.json()).message)
})
`

/** The page for people. */
export function addPage(app: FastifyInstance, state: SandboxState): void {
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send())
  app.get('/', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const sources = `img-src 'self'; connect-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
    const policy = `default-src 'none'; ${sources}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8')
    return renderPage(state, nonce)
  })
}

function renderPage(state: SandboxState, nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Partner sandbox</title><style nonce="${nonce}">${STYLE}</style></head><body><main>
<h1>Partner sandbox: nothing is printed</h1>
<p>It behaves like the print partner. Its README describes faults, profiles and the control API, which can do more than this page.</p>
<section><h2>Clock</h2>${clockSection(state)}</section>
<section><h2>Faults</h2>${faultsSection(state)}</section>
<section><h2>Orders</h2>${ordersSection(state)}</section>
<section><h2>Reset</h2><p>${button('POST /reset', 'Forget everything')}</p></section>
</main><script nonce="${nonce}">${SCRIPT}</script></body></html>`
}

function clockSection({ clock }: SandboxState): string {
  const turn = (change: object, name: string) => button('POST /clock', name, change)
  return `<p>${localText(clock.now(), 'America/Chicago')} in Duluth, ${Math.round(clock.offsetMs / 60_000)} minutes ahead of this machine</p>
<p>${turn({ toNextStep: true }, 'To the next step of an order')} ${turn({ advanceHours: 1 }, '+ 1 hour')}
${turn({ advanceHours: 24 }, '+ 1 day')} ${turn({ reset: true }, 'Back to now')}</p>`
}

function faultsSection({ faults }: SandboxState): string {
  const active = faults.list().map(({ id, fault, route, times, when }) => {
    const left = times === null ? 'until removed' : `${times} times`
    return `<li>${fault} on ${route}, ${when}, ${left} ${button(`DELETE /faults/${id}`, 'Remove')}</li>`
  })
  const options = (names: readonly string[]) => names.map((name) => `<option>${name}</option>`).join('')
  return `<ul>${active.join('')}</ul><form>
<label>Fault <select name="fault">${options(FAULTS)}</select></label>
<label>Route <select name="route"><option value="">its usual one</option>${options(['*', ...ROUTES])}</select></label>
<label>Times <input name="times" type="number" min="1" placeholder="always" /></label>
${button('POST /faults', 'Add')}</form>`
}

/** The newest orders with what would have been printed. */
function ordersSection(state: SandboxState): string {
  const newest = [...state.orders.values()].slice(-MAX_ORDERS).reverse()
  return newest.length === 0 ? '<p>No orders yet.</p>' : newest.map((order) => orderCard(state, order)).join('')
}

function orderCard(state: SandboxState, order: Order): string {
  const { vendorOrderId, customer, storeName, storeNum, promiseTime, affNotes, items, history, timeZone } = order
  const total = dollars(order.subtotalCents - order.discountCents)
  const life = history.map(({ at, text }) => `<li>${localText(at, timeZone)}: ${escapeText(text)}</li>`)
  const path = `POST /orders/${vendorOrderId}/status`
  return `<article><h3>${vendorOrderId}: ${escapeText(statusText(order, state.profile))}</h3>
<p>${escapeText(`${customer.firstName} ${customer.lastName}`)}, $${total} ${escapeText(order.couponCode)}</p>
<p>${storeName} (${storeNum}), promised ${promiseTime}. ${escapeText(affNotes)}</p>
<ul>${items.slice(0, MAX_PRINTS).map(printed).join('')}</ul>
<details><summary>Life of this order, in the time of the store</summary><ol>${life.join('')}</ol>
<form><label>Status <input name="status" maxlength="100" /></label> ${button(path, 'Set')} ${button(path, 'Follow the clock', { status: null })}</form>
</details></article>`
}

function printed({ productSize, quantity, thumbnailId, problem }: OrderItem): string {
  const picture = thumbnailId
    ? `<img src="/thumbnails/${thumbnailId}" alt="Print ${productSize}" loading="lazy" />`
    : ''
  return `<li>${picture}<b>${productSize}</b> × ${quantity} ${escapeText(problem ?? '')}</li>`
}

function button(call: string, name: string, body?: object): string {
  const sent = body ? ` data-body="${escapeText(JSON.stringify(body))}"` : ''
  return `<button type="button" data-call="${call}"${sent}>${name}</button>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
