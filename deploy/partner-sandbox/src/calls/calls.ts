import { randomUUID } from 'node:crypto'
import { discountOf, dollars, findProduct, PRODUCTS, type Product } from '../catalog/products.ts'
import { clockText, promise } from '../catalog/promise-time.ts'
import { type FoundStore, findStores } from '../catalog/stores.ts'
import { statusText } from '../orders/order.ts'
import { MINUTE } from '../state/clock.ts'
import { simulatedError } from '../state/errors.ts'
import type { TakenFaults } from '../state/faults.ts'
import type { Profile } from '../state/profile.ts'
import type { SandboxState } from '../state/state.ts'
import type { Fields, RequestFields } from './request-fields.ts'

/** One request to the partner API, after its credentials were accepted. */
export interface Call {
  state: SandboxState
  request: RequestFields
  profile: Profile
  faults: TakenFaults
  /** Time of the sandbox's clock. */
  now: number
  /** Of the partner API, as the client addresses it. */
  origin: string
}

/** Executes a call. @throws BusinessError as the partner rejects it */
export type Handler = (call: Call) => Fields | Promise<Fields>

export const SUCCESS = { status: 'success', err: '', errDesc: '' }
export const MAX_IMAGES = 200
const UNKNOWN_ORDER = '9301'

/** `/api/photo/creds/v3`: limits, and the address of a container for uploads, which does not exist here. */
export function fetchCredentials({ request, profile, faults, now, origin }: Call): Fields {
  request.text('platform')
  const lifetime = faults.get('expired-sas') ? -MINUTE : profile.sasMinutes * MINUTE
  const expiry = new Date(now + lifetime).toISOString()
  const sasKeyToken = `${origin}/qpcontainerin?${new URLSearchParams({ se: expiry, sp: 'w', sig: randomUUID() })}`
  const landingUrl = `${origin}/photoprints`
  return { ...SUCCESS, uploadLimit: MAX_IMAGES, template: 'default', landingUrl, cloud: [{ sasKeyToken }] }
}

/** `/api/photo/products/v3`: the catalogue of a product group, or all of it. */
export function listProducts(call: Call): Fields {
  const group = call.request.optionalText('productGroupId')
  const products = PRODUCTS.filter(({ productGroupId }) => !group || productGroupId === group).map((product) => ({
    productId: product.productId,
    productGroupId: product.productGroupId,
    productDesc: product.productDesc,
    productPrice: dollars(currentPrice(call, product)),
    currencyType: 'USD',
    productSize: product.productSize,
    resWidth: String(product.width * product.dpi),
    resHeight: String(product.height * product.dpi),
    dpi: String(product.dpi),
    multiImageIndicator: 'false',
    boxQty: '1',
    vendorQtyLimit: '999',
    templateUrl: '',
  }))
  return { ...SUCCESS, products }
}

/** `/api/photo/store/v3`: stores within 25 miles with the time that they promise for these products. */
export function searchStores(call: Call): Fields {
  const { request, faults } = call
  const position = { latitude: request.degrees('latitude', 90), longitude: request.degrees('longitude', 180) }
  const quantities = readQuantities(call)
  const prints = quantities.reduce((sum, { quantity }) => sum + quantity, 0)
  const found = faults.get('empty-store-list') ? [] : findStores(position)
  const cents = subtotalOf(call, quantities)
  const photoStores = found.map((store) => ({ photoStoreDetails: describeStore(call, store, prints, cents) }))
  return { status: 'success', errCode: '', errDesc: '', photoStores }
}

function describeStore({ state, faults, now }: Call, { store, miles }: FoundStore, prints: number, cents: number) {
  const change = faults.get('promise-time-changed')
  const promised = promise(store, now, prints, change ? (change.minutes ?? 120) : 0)
  state.promiseTimes.set(`${store.storeNum} ${promised.text}`, { ...promised, issuedAt: now })
  const { storeNum, storeName, street, city, state: stateCode, zip, phone, timeZone } = store
  return {
    ...{ storeNum, storeName, street, city, state: stateCode, zip, phone },
    distance: miles.toFixed(1),
    distanceUnit: 'miles',
    latitude: String(store.latitude),
    longitude: String(store.longitude),
    promiseTime: promised.text,
    openTime: clockText(store.opensAt),
    closeTime: clockText(store.closesAt),
    timeZone,
    type: 'photo',
    tax: dollars(Math.round((cents * store.taxRate) / 100)),
  }
}

/** `/api/photo/order/coupon/v3`: the discount, and what remains to pay. */
export function checkCoupon(call: Call): Fields {
  const code = call.request.text('couponCode')
  const subtotal = subtotalOf(call, readQuantities(call))
  const discount = discountOf(code, subtotal)
  return { ...SUCCESS, orderTotalPrice: dollars(subtotal - discount), orderDiscountPrice: dollars(discount) }
}

/** `/api/photo/order/status/v3`: the status of a batch of orders. */
export function orderStatuses(call: Call): Fields {
  const { request, profile, faults } = call
  const ids = request.list('orders').map(String)
  if (ids.length > profile.idsPerStatusCall) {
    throw simulatedError('9302', `a call takes at most ${profile.idsPerStatusCall} orders`)
  }
  const missing = faults.get('missing-ids')
  const skipped = missing ? (missing.count ?? Math.ceil(ids.length / 2)) : 0
  return { ...SUCCESS, statuses: ids.slice(skipped).map((id) => describeStatus(call, id)) }
}

function describeStatus({ state, profile, faults }: Call, orderId: string): Fields {
  const order = state.orders.get(orderId)
  if (!order) return { valid: 'false', code: UNKNOWN_ORDER, orderId, orderStatus: '' }
  const strange = faults.get('unknown-status')
  const orderStatus = strange ? (strange.text ?? 'Awaiting Lab Review') : statusText(order, profile)
  return { valid: 'true', code: '', orderId, orderStatus }
}

export interface Quantity {
  product: Product
  quantity: number
}

/** The products and quantities that store search and coupon check send. */
function readQuantities({ request }: Call): Quantity[] {
  return request
    .entries('productDetails')
    .map((entry) => ({ product: knownProduct(entry.text('productId')), quantity: entry.quantity('qty') }))
}

/** @throws BusinessError when there is no such product */
export function knownProduct(productId: string): Product {
  const product = findProduct(productId)
  if (product) return product
  throw simulatedError('9204', `unknown productId ${productId.slice(0, 40)}`)
}

export function subtotalOf(call: Call, quantities: Quantity[]): number {
  return quantities.reduce((sum, { product, quantity }) => sum + currentPrice(call, product) * quantity, 0)
}

/** The price for this request, which a fault may change. */
function currentPrice({ faults }: Call, product: Product): number {
  const change = faults.get('price-change')
  return change ? Math.round((product.priceCents * (100 + (change.percent ?? 10))) / 100) : product.priceCents
}
