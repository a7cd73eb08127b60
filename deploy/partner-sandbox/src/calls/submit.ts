import { addHistory, fingerprintOf, newOrderId, type Order, type OrderItem } from '../orders/order.ts'
import { between } from '../state/random.ts'
import { type Call, SUCCESS } from './call.ts'
import type { Fields } from './fields.ts'
import { type PrintLine, type RequestedOrder, readOrder } from './read-order.ts'

/** `/api/photo/order/submit/v3`. Not idempotent: the same body twice makes two orders. */
export async function submitOrder(call: Call): Promise<Fields> {
  const { state, profile, faults } = call
  const order = createOrder(call, readOrder(call))
  state.orders.add(order)
  state.changes++
  await state.file.save()
  if (faults.get('no-order-number')) return { ...SUCCESS }
  const asNumber = profile.vendorOrderIds === 'number'
  return { ...SUCCESS, vendorOrderId: asNumber ? Number(order.vendorOrderId) : order.vendorOrderId }
}

function createOrder(call: Call, requested: RequestedOrder): Order {
  const { state, affId, profile, faults, now, request } = call
  const { customer, store, promised, lines, couponCode, affNotes, subtotalCents, discountCents } = requested
  const items = itemsOf(lines)
  const content = [store.storeNum, customer, items.map(({ productId, url, quantity }) => [productId, url, quantity])]
  const percent = () => state.random() * 100
  const order: Order = {
    vendorOrderId: newOrderId(profile.vendorOrderIds),
    ...{ affId, affNotes, customer, couponCode, subtotalCents, discountCents, items },
    storeNum: store.storeNum,
    storeName: store.storeName,
    timeZone: store.timeZone,
    promiseTime: request.text('promiseTime'),
    fingerprint: fingerprintOf(content),
    imageCount: lines.length,
    submittedAt: now,
    downloadAt: now + between(state.random, 2, 8) * 1000,
    readyAt: promised.readyAt,
    pickupHours: profile.pickupHours,
    isCollected: !faults.get('never-collected') && percent() >= profile.neverCollectedPercent,
    isPrinterDown: faults.get('printer-down') !== undefined || percent() < profile.printerDownPercent,
    stage: 'submitting',
    stageAt: now,
    downloadedAt: null,
    attempts: 0,
    scriptedStatus: null,
    history: [],
  }
  addHistory(order, now, 'Submitting')
  return order
}

/** Entries with the same image in the same size become one item. */
function itemsOf(lines: PrintLine[]): OrderItem[] {
  const groups = Map.groupBy(lines, ({ product, url }) => `${product.productId} ${url}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const quantity = group.reduce((sum, line) => sum + line.quantity, 0)
    const { productId, productSize } = first.product
    return [{ productId, productSize, url: first.url, quantity, image: null, thumbnailId: null, problem: null }]
  })
}
