import { localText } from '../catalog/local-time.ts'
import { dollars } from '../catalog/products.ts'
import { isOpen, type Order, type OrderItem, STAGE_TEXTS, statusText } from '../orders/order.ts'
import type { SandboxState } from '../state/state.ts'
import { type Html, html } from './html.ts'

const MAX_SHOWN = 50
const MAX_PRINTS = 24

/** The newest orders with what would have been printed. */
export function orderCards(state: SandboxState): Html {
  const orders = state.orders.list()
  if (orders.length === 0) return html`<p class="dim">No orders yet.</p>`
  const twins = Map.groupBy(orders, ({ fingerprint }) => fingerprint)
  const shown = orders.slice(-MAX_SHOWN).reverse()
  const more =
    orders.length > shown.length ? html`<p class="dim">The newest ${shown.length} of ${orders.length}.</p>` : ''
  const cards = shown.map((order) => orderCard(state, order, twins.get(order.fingerprint) ?? []))
  return html`${more}<div class="orders">${cards}</div>`
}

function orderCard(state: SandboxState, order: Order, twins: Order[]): Html {
  const { vendorOrderId, customer, storeName, storeNum, promiseTime, affNotes, items, history, timeZone } = order
  const status = statusText(order, state.profiles.get(order.affId) ?? state.profiles.main)
  const prints = items.reduce((sum, { quantity }) => sum + quantity, 0)
  const discount = order.discountCents > 0 ? ` ($${dollars(order.discountCents)} off with ${order.couponCode})` : ''
  const others = twins.filter((twin) => twin !== order).map((twin) => twin.vendorOrderId)
  return html`<article class="order">
    <header><h3>${vendorOrderId}</h3><span class="status ${statusClass(order)}">${status}</span></header>
    <p>${prints} prints for ${customer.firstName} ${customer.lastName}, $${dollars(order.subtotalCents - order.discountCents)}${discount}</p>
    <p class="dim">${storeName} (${storeNum}), promised ${promiseTime}${affNotes && html`<br />Notes: ${affNotes}`}</p>
    ${others.length > 0 ? html`<p class="notice">Same store, customer and prints as ${others.slice(0, 3).join(', ')}</p>` : ''}
    <ul class="prints">${items.slice(0, MAX_PRINTS).map(printed)}</ul>
    ${items.length > MAX_PRINTS ? html`<p class="dim">and ${items.length - MAX_PRINTS} more</p>` : ''}
    <details><summary>Life of this order</summary>
      <ol class="life">${history.map(({ at, text }) => html`<li>${localText(at, timeZone)}: ${text}</li>`)}</ol>
      <p class="dim">Times of the store. ${isOpen(order) ? `Ready at ${localText(order.readyAt, timeZone)} if nothing happens.` : ''}</p>
      ${statusForm(order)}
    </details>
  </article>`
}

function statusClass({ stage, scriptedStatus }: Order): string {
  if (scriptedStatus !== null) return ''
  return stage === 'cancelled' ? 'bad' : stage === 'ready' ? 'good' : ''
}

function printed({ productSize, quantity, image, thumbnailId, problem }: OrderItem): Html {
  const picture = thumbnailId
    ? html`<img src="/thumbnails/${thumbnailId}" alt="Print ${productSize}" loading="lazy" />`
    : html`<span class="dim">${image ? 'no longer kept' : 'not downloaded'}</span>`
  const pixels = image ? html`<br /><span class="dim">${image.width} × ${image.height} px</span>` : ''
  const trouble = problem ? html`<br /><span class="bad">${problem}</span>` : ''
  return html`<li><div class="sheet">${picture}</div><b>${productSize}</b> × ${quantity}${pixels}${trouble}</li>`
}

function statusForm({ vendorOrderId, scriptedStatus }: Order): Html {
  const texts = [...Object.values(STAGE_TEXTS), 'Cancelled', 'Awaiting Lab Review']
  const release = html`<button name="status" value="">Follow the clock again</button>`
  return html`<form method="post" action="/forms/orders"><input type="hidden" name="id" value="${vendorOrderId}" />
    <div class="row"><label>Status by hand <input name="status" list="statuses" maxlength="100" required /></label>
    <button>Set</button></div>
    <datalist id="statuses">${texts.map((text) => html`<option value="${text}"></option>`)}</datalist></form>
    ${scriptedStatus === null ? '' : html`<form method="post" action="/forms/orders"><input type="hidden" name="id" value="${vendorOrderId}" />${release}</form>`}`
}
