import type { QueryClient } from '@tanstack/react-query'
import type { Coordinates } from '../lib/coordinates.ts'
import { ApiError, send } from '../lib/http.ts'
import { type Answer, api } from './client.ts'
import { configQuery } from './queries.ts'
import type { Photo, PrintEnvironment } from './types.ts'

/** Prints in one entry of a request. */
const MAX_QUANTITY = 999
const PRODUCT_GROUP = 'STDPR'
const CLIENT = { appVer: '1.0', devInf: 'WebApp,1.0' }
const STORE_SEARCH_CLIENT = { appVer: '1.0.0', devInf: 'web' }
/** The server's limit of ids in one request. */
const IDS_PER_REQUEST = 100
/** The server responds to a submit within 20 s; later its outcome is unknown. */
const SUBMIT_TIMEOUT_MS = 40_000
/** All other calls are answered within 10 s. */
const CALL_TIMEOUT_MS = 20_000
const UPLOAD_TIMEOUT_MS = 120_000

/** A number of prints of a product. */
export interface ProductQuantity {
  productId: string
  quantity: number
}

/** Aborts also after this time: the call fails then as one that did not reach the server. */
function within(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const deadline = AbortSignal.timeout(timeoutMs)
  return signal ? AbortSignal.any([signal, deadline]) : deadline
}

/** The user's photos with these ids, in this order; those that do not exist are left out. */
export async function readPhotos(ids: readonly number[], signal?: AbortSignal): Promise<Photo[]> {
  const found = new Map<number, Photo>()
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const query = { ids: ids.slice(at, at + IDS_PER_REQUEST).join() }
    const photos = await api('get', '/api/photos', { query, signal })
    for (const photo of photos) found.set(photo.id, photo)
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Prepares images of the user's own photos. To be repeated while one is rendering. */
export async function preparePrintImages(images: PrintImageRequest[], signal: AbortSignal): Promise<PrintImage[]> {
  const input = { body: { images }, signal: within(CALL_TIMEOUT_MS, signal) }
  return (await api('post', '/api/walgreens/prepare-images', input)).images
}

/** The bytes of a photo. */
export async function readPhotoFile(path: string): Promise<Blob> {
  return (await send(path)).blob()
}

/** Stores a picture that is not a photo of the user. */
export function uploadPrintImage(photoId: number, file: Blob, signal: AbortSignal): Promise<UploadedPrintImage> {
  const form = new FormData()
  form.append('image', file, `photo-${photoId}.jpg`)
  return api('post', '/api/walgreens/upload-image', { body: form, signal: within(UPLOAD_TIMEOUT_MS, signal) })
}

/** The print sizes with their prices. */
export async function readProducts(): Promise<PrintProduct[]> {
  const body = { productGroupId: PRODUCT_GROUP, ...CLIENT }
  return (await api('post', '/api/walgreens/products', { body, signal: within(CALL_TIMEOUT_MS) })).products
}

/** Several photos can have more prints of one product than an entry may name. */
export function entriesOf(products: readonly ProductQuantity[]): { productId: string; qty: number }[] {
  return products.flatMap(({ productId, quantity }) =>
    Array.from({ length: Math.ceil(quantity / MAX_QUANTITY) }, (_, index) => {
      return { productId, qty: Math.min(MAX_QUANTITY, quantity - index * MAX_QUANTITY) }
    }),
  )
}

/** The stores near a position that can print these products, nearest first. */
export async function searchStores(position: Coordinates, products: readonly ProductQuantity[]): Promise<PrintStore[]> {
  const body = { ...position, productDetails: entriesOf(products), act: 'photoStores', ...STORE_SEARCH_CLIENT }
  const { photoStores } = await api('post', '/api/walgreens/store-search', { body, signal: within(CALL_TIMEOUT_MS) })
  return photoStores.map(({ photoStoreDetails }) => photoStoreDetails)
}

/** Checks a coupon code for these products. */
export function validateCoupon(code: string, products: readonly ProductQuantity[]): Promise<CouponAnswer> {
  const productDetails = entriesOf(products).map(({ productId, qty }) => ({ productId, qty: String(qty) }))
  const body = { couponCode: code, productDetails, act: 'getdiscount', ...CLIENT }
  return api('post', '/api/walgreens/validate-coupon', { body, signal: within(CALL_TIMEOUT_MS) })
}

/** An order as it is sent. */
export type SubmitBody = OrderRequest & typeof CLIENT & { act: string }

export function submitBody(order: OrderRequest): SubmitBody {
  return { ...order, act: 'submitphotoorder', ...CLIENT }
}

/** Places an order. The same key with the same body never places a second one. */
export function submitOrder(body: SubmitBody, idempotencyKey: string): Promise<OrderResult> {
  const headers = { 'idempotency-key': idempotencyKey }
  return api('post', '/api/walgreens/submit-order', { body, headers, signal: within(SUBMIT_TIMEOUT_MS) })
}

/** The figures that a rejected order would have now; null for any other error. */
export function changedFigures(error: unknown): CurrentFigures | null {
  if (!(error instanceof ApiError) || error.body?.code !== 'order_changed') return null
  return (error.body as typeof error.body & { current?: CurrentFigures }).current ?? null
}

/** The remembered customer details, null when there are none. */
export async function readCustomer(): Promise<PrintCustomer | null> {
  return (await api('get', '/api/walgreens/customer', { signal: within(CALL_TIMEOUT_MS) })).customer
}

export async function rememberCustomer(customer: PrintCustomer): Promise<void> {
  await api('put', '/api/walgreens/customer', { body: customer, signal: within(CALL_TIMEOUT_MS) })
}

export async function forgetCustomer(): Promise<void> {
  await api('delete', '/api/walgreens/customer', { signal: within(CALL_TIMEOUT_MS) })
}

/** Reads again whether prints can be ordered. */
export function refreshPrinting(client: QueryClient): void {
  client.invalidateQueries({ queryKey: configQuery.queryKey })
}

/** A part of the upright picture, in fractions of its width and height. */
export interface Crop {
  x: number
  y: number
  width: number
  height: number
}

/** An image to prepare: with a product the file for its print, without one a proof for the screen. */
export interface PrintImageRequest {
  photoId: number
  productId?: string
  crop?: Crop
}

/** The state of an image that is prepared for printing; absent values are null. */
export type PrintImage = Answer<'post', '/api/walgreens/prepare-images'>['images'][number]

/** An image that was uploaded for printing. */
export interface UploadedPrintImage {
  filename: string
  url: string
  expiresAt: string
  width: number
  height: number
}

type Product = Answer<'post', '/api/walgreens/products'>['products'][number]
/** A print size that the partner sells. */
export type PrintProduct = Pick<Product, 'productId' | 'productDesc' | 'productSize' | 'productPrice'> &
  Partial<Pick<Product, 'resWidth' | 'resHeight' | 'dpi'>>

type Store = Answer<'post', '/api/walgreens/store-search'>['photoStores'][number]['photoStoreDetails']
/** A store that prints photos. `tax` is the partner's figure for the prints; it is not part of the total. */
export type PrintStore = Omit<Store, 'distanceUnit' | 'type' | 'latitude' | 'longitude' | 'timeZone' | 'tax'> &
  Partial<Pick<Store, 'latitude' | 'longitude' | 'timeZone' | 'tax'>>

type Coupon = Answer<'post', '/api/walgreens/validate-coupon'>
/** What the partner says about a coupon; `err` is empty for a valid one. */
export type CouponAnswer = Pick<Coupon, 'err'> & Partial<Coupon>

/** An image of an order: an uploaded one, or the user's own photo with the part that is printed. */
export type OrderedImage = { url: string; qty: number } | { photoId: number; crop?: Crop; qty: number }

export interface OrderRequest {
  storeNum: string
  promiseTime: string
  firstName: string
  lastName: string
  phone: string
  email: string
  productDetails: { productId: string; productPrice: string; imageDetails: OrderedImage[] }[]
  orderTotal: string
  subtotal: string
  couponCode?: string
  termsAccepted: boolean
}

/** The figures of an order; amounts have two decimals. */
export interface OrderFigures {
  subtotalAmount: string
  discountAmount: string
  totalAmount: string
  promiseTime: string | null
}

export interface CurrentFigures extends OrderFigures {
  /** Why the coupon does not count: the figures are those without it. */
  couponMessage?: string
}

/** What became of a submitted order. Without an order number its outcome is `unknown`. */
export interface OrderResult extends Partial<OrderFigures> {
  orderId?: number | string | null
  vendorOrderId?: string | null
  orderStatus: string
  /** Where the order was sent. */
  environment?: PrintEnvironment
  message?: string
}

/** The customer details that the user asked to remember. */
export type PrintCustomer = NonNullable<Answer<'get', '/api/walgreens/customer'>['customer']>
