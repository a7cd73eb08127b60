import { randomInt } from 'node:crypto'
import { discountOf, dollars } from '../catalog/products.ts'
import type { Promised } from '../catalog/promise-time.ts'
import { findStore, type Store } from '../catalog/stores.ts'
import { addHistory, newOrderId, type Order, type OrderItem } from '../orders/order.ts'
import { MINUTE } from '../state/clock.ts'
import { simulatedError } from '../state/errors.ts'
import { type Call, knownProduct, MAX_IMAGES, type Quantity, SUCCESS, subtotalOf } from './calls.ts'
import type { Fields, RequestFields } from './request-fields.ts'

const MAX_PRINTS_OF_AN_ENTRY = 20
/** A total must be below it. */
const TOTAL_LIMIT_CENTS = 99_800

/** An entry of imageDetails. */
interface PrintLine extends Quantity {
  url: string
}

/** `/api/photo/order/submit/v3`. Not idempotent: the same body twice makes two orders. */
export async function submitOrder(call: Call): Promise<Fields> {
  const { state, profile, faults } = call
  const order = readOrder(call)
  state.addOrder(order)
  await state.file.save()
  if (faults.get('no-order-number')) return { ...SUCCESS }
  const asNumber = profile.vendorOrderIds === 'number'
  return { ...SUCCESS, vendorOrderId: asNumber ? Number(order.vendorOrderId) : order.vendorOrderId }
}

/** @throws BusinessError for the first check that fails */
function readOrder(call: Call): Order {
  const { request, profile, faults, now } = call
  const [firstName, lastName] = [request.text('firstName'), request.text('lastName')]
  const customer = { firstName, lastName, phone: request.text('phone'), email: request.text('email') }
  const store = readStore(request)
  const promised = readPromise(call, store)
  const lines = readLines(request)
  const couponCode = request.optionalText('couponCode')
  const subtotalCents = subtotalOf(call, lines)
  const discountCents = couponCode ? discountOf(couponCode, subtotalCents) : 0
  if (subtotalCents - discountCents >= TOTAL_LIMIT_CENTS) {
    throw simulatedError('9207', `the total must be under $${dollars(TOTAL_LIMIT_CENTS)}`)
  }
  const order: Order = {
    vendorOrderId: newOrderId(profile.vendorOrderIds),
    ...{ customer, couponCode, subtotalCents, discountCents, items: itemsOf(lines) },
    affNotes: request.optionalText('affNotes').slice(0, 500),
    ...{ storeNum: store.storeNum, storeName: store.storeName, timeZone: store.timeZone },
    promiseTime: request.text('promiseTime'),
    imageCount: lines.length,
    submittedAt: now,
    downloadAt: now + randomInt(2_000, 8_000),
    readyAt: promised.readyAt,
    isCollected: !faults.get('never-collected'),
    isPrinterDown: faults.get('printer-down') !== undefined,
    ...{ stage: 'submitting', stageAt: now, downloadedAt: null, attempts: 0, scriptedStatus: null, history: [] },
  }
  addHistory(order, now, 'Submitting')
  return order
}

function readStore(request: RequestFields): Store {
  const store = findStore(request.text('storeNum'))
  if (store) return store
  throw simulatedError('9201', 'unknown storeNum')
}

function readPromise({ state, request, profile, faults, now }: Call, store: Store): Promised {
  const issued = state.promiseTimes.get(`${store.storeNum} ${request.text('promiseTime')}`)
  if (!issued) throw simulatedError('9202', 'this promiseTime was not given for this store')
  const change = faults.get('promise-time-changed')
  const isStale = now - issued.issuedAt > profile.promiseTimeMinutes * MINUTE || now > issued.readyAt
  if (isStale || change?.when === 'before') throw simulatedError('9203', 'promiseTime is no longer valid')
  return change ? { ...issued, readyAt: issued.readyAt + (change.minutes ?? 120) * MINUTE } : issued
}

function readLines(request: RequestFields): PrintLine[] {
  const lines = request.entries('productDetails').flatMap((detail) => {
    const product = knownProduct(detail.text('productId'))
    return detail
      .entries('imageDetails')
      .map((image) => ({ product, url: readUrl(image), quantity: image.quantity('qty') }))
  })
  if (lines.length > MAX_IMAGES) throw simulatedError('9205', `an order has at most ${MAX_IMAGES} images`)
  if (lines.every(({ quantity }) => quantity <= MAX_PRINTS_OF_AN_ENTRY)) return lines
  throw simulatedError('9206', `an image can be printed at most ${MAX_PRINTS_OF_AN_ENTRY} times`)
}

function readUrl(image: RequestFields): string {
  const url = image.text('url')
  if (url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw simulatedError('9209', 'the url of an image must be an http address')
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
