import type { PrintOrder, PrintOrderItem } from '../../api/types.ts'
import { capitalized, formatAgo } from '../../lib/format.ts'
import { formatDollars, formatPromiseTime } from '../../lib/order-formats.ts'
import type { PrintRequest } from '../../photos/printing.ts'

export type StatusTone = 'accent' | 'warn' | 'good' | 'neutral' | 'danger'

const TONES = new Map<string | null, StatusTone>([
  ['submitted', 'accent'],
  ['processing', 'warn'],
  ['ready', 'good'],
  ['cancelled', 'danger'],
])

/** The colour of a status; grey for those that need no attention, and for unknown values. */
export function statusTone(status: string | null): StatusTone {
  return TONES.get(status) ?? 'neutral'
}

/** 'Submitted', 'Picked up'; 'Unknown' without a status. */
export function statusLabel(status: string | null): string {
  return capitalized((status || 'unknown').replaceAll('_', ' '))
}

/** 'Order #123'. Without a number: its outcome is not known, or it was never placed. */
export function orderName({ vendorOrderId, orderStatus }: Pick<PrintOrder, 'vendorOrderId' | 'orderStatus'>): string {
  if (vendorOrderId) return `Order #${vendorOrderId}`
  return orderStatus === 'unknown' ? 'Order not confirmed yet' : 'Order not placed'
}

/** 'Ordered 3 hours ago', or 'Ordered recently' for an invalid date. */
export function orderedText(createdAt: string | null, now: number): string {
  return `Ordered ${formatAgo(createdAt, now) ?? 'recently'}`
}

/** 'Ready: Jun 23, 2026, 4:30 PM'; null without a promise, and for an order that the store may not print. */
export function readyText(order: Pick<PrintOrder, 'promiseTime' | 'orderStatus'>): string | null {
  if (order.orderStatus === 'unknown' || order.orderStatus === 'cancelled') return null
  const time = formatPromiseTime(order.promiseTime)
  return time && `Ready: ${time}`
}

/** '$12.50', or 'See receipt at pickup' when the amount is not known. */
export function priceText(totalAmount: string | null): string {
  return formatDollars(totalAmount) ?? 'See receipt at pickup'
}

/** 'Plus $0.25 tax'; null when the partner named none. */
export function taxText(taxAmount: string | null): string | null {
  return Number(taxAmount) > 0 ? `Plus ${formatDollars(taxAmount)} tax` : null
}

/** 'Coupon SAVE10 (-$2.50)', the discount only if there is one; null without a coupon. */
export function couponText(order: Pick<PrintOrder, 'couponCode' | 'couponDiscount'>): string | null {
  if (!order.couponCode) return null
  const discount = Number(order.couponDiscount) > 0 ? ` (-${formatDollars(order.couponDiscount)})` : ''
  return `Coupon ${order.couponCode}${discount}`
}

export function itemTitle({ photoTitle }: Pick<PrintOrderItem, 'photoTitle'>): string {
  return photoTitle || 'Uploaded Image'
}

/** '4x6 · Quantity: 2'. */
export function itemSize({ productSize, quantity }: Pick<PrintOrderItem, 'productSize' | 'quantity'>): string {
  return productSize ? `${productSize} · Quantity: ${quantity}` : `Quantity: ${quantity}`
}

/** The photos of an order that can be ordered again. */
export function photoIdsOf(order: PrintOrder): number[] {
  return [...new Set(order.items.flatMap(({ photoId }) => (photoId === null ? [] : [photoId])))]
}

/** What to ask the print wizard for to order the same again: without items that were no photos, or whose photo was deleted. */
export function repeatOrder(order: PrintOrder): PrintRequest {
  const items = order.items.flatMap(({ photoId, productId, productSize, quantity }) =>
    photoId === null ? [] : [{ photoId, productId, productSize, quantity }],
  )
  return { photoIds: photoIdsOf(order), items }
}

/** The changes of status between two readings, for screen readers: 'Order #123: Ready'. Orders seen first are no change. */
export function describeChanges(before: ReadonlyMap<number, string | null>, orders: readonly PrintOrder[]): string {
  return orders
    .filter(({ id, orderStatus }) => before.has(id) && before.get(id) !== orderStatus)
    .map((order) => `${orderName(order)}: ${statusLabel(order.orderStatus)}`)
    .join(', ')
}
