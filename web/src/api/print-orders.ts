import type { QueryClient } from '@tanstack/react-query'
import { ApiError, request, requestFile } from '../lib/http.ts'
import type { paths as PrintOrdersPaths } from './generated/print-orders.d.ts'
import { configQuery } from './queries.ts'
import type { GeocodedPlace, Photo, PrintEnvironment, ResponseBody } from './types.ts'

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

/** A position in degrees, as text. */
export interface Position {
  latitude: string
  longitude: string
}

/** Calls the API with a deadline: a call without a response fails as one that did not reach the server. */
async function post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  const { timeoutMs = CALL_TIMEOUT_MS, signal, headers, method = 'POST' } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await request<T>(path, {
      method,
      body,
      headers,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new ApiError(0, 'The server did not respond in time. Try again.', null)
    }
    throw error
  }
}

interface CallOptions {
  timeoutMs?: number
  signal?: AbortSignal
  headers?: Record<string, string>
  method?: 'POST' | 'PUT' | 'DELETE'
}

/** The user's photos with these ids, in this order; those that do not exist are left out. */
export async function readPhotos(ids: readonly number[], signal?: AbortSignal): Promise<Photo[]> {
  const found = new Map<number, Photo>()
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const photos = await request<Photo[]>(`/api/photos?ids=${ids.slice(at, at + IDS_PER_REQUEST)}`, { signal })
    for (const photo of photos) found.set(photo.id, photo)
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Prepares images of the user's own photos. To be repeated while one is rendering. */
export async function preparePrintImages(images: PrintImageRequest[], signal: AbortSignal): Promise<PrintImage[]> {
  const response = await post<{ images: PrintImage[] }>('/api/walgreens/prepare-images', { images }, { signal })
  return response.images
}

/** The bytes of a photo. */
export function readPhotoFile(path: string): Promise<Blob> {
  return requestFile(path)
}

/** Stores a picture that is not a photo of the user. */
export function uploadPrintImage(photoId: number, file: Blob, signal: AbortSignal): Promise<UploadedPrintImage> {
  const form = new FormData()
  form.append('image', file, `photo-${photoId}.jpg`)
  return post('/api/walgreens/upload-image', form, { signal, timeoutMs: UPLOAD_TIMEOUT_MS })
}

/** The print sizes with their prices. */
export async function readProducts(): Promise<PrintProduct[]> {
  const body = { productGroupId: PRODUCT_GROUP, ...CLIENT }
  return (await post<{ products?: PrintProduct[] }>('/api/walgreens/products', body)).products ?? []
}

/** The position of a ZIP code, a city or a state. */
export function geocode(query: string): Promise<GeocodedPlace> {
  return post('/api/geocode', { query })
}

/** The place at a position. */
export function reverseGeocode({ latitude, longitude }: Position): Promise<GeocodedPlace> {
  return post('/api/geocode', { query: `${latitude}, ${longitude}`, reverse: true })
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
export async function searchStores(position: Position, products: readonly ProductQuantity[]): Promise<PrintStore[]> {
  const { photoStores } = await post<{ photoStores?: { photoStoreDetails: PrintStore }[] }>(
    '/api/walgreens/store-search',
    {
      ...position,
      productDetails: entriesOf(products),
      act: 'photoStores',
      ...STORE_SEARCH_CLIENT,
    },
  )
  return (photoStores ?? []).map(({ photoStoreDetails }) => photoStoreDetails)
}

/** Checks a coupon code for these products. */
export function validateCoupon(code: string, products: readonly ProductQuantity[]): Promise<CouponAnswer> {
  return post('/api/walgreens/validate-coupon', {
    couponCode: code,
    productDetails: entriesOf(products).map(({ productId, qty }) => ({ productId, qty: String(qty) })),
    act: 'getdiscount',
    ...CLIENT,
  })
}

/** An order as it is sent. */
export type SubmitBody = OrderRequest & typeof CLIENT & { act: string }

export function submitBody(order: OrderRequest): SubmitBody {
  return { ...order, act: 'submitphotoorder', ...CLIENT }
}

/** Places an order. The same key with the same body never places a second one. */
export function submitOrder(body: SubmitBody, idempotencyKey: string): Promise<OrderResult> {
  const headers = { 'idempotency-key': idempotencyKey }
  return post('/api/walgreens/submit-order', body, { headers, timeoutMs: SUBMIT_TIMEOUT_MS })
}

/** The figures that a rejected order would have now; null for any other error. */
export function changedFigures(error: unknown): OrderFigures | null {
  if (!(error instanceof ApiError) || error.body?.code !== 'order_changed') return null
  return (error.body as typeof error.body & { current?: OrderFigures }).current ?? null
}

/** The remembered customer details, null when there are none. */
export async function readCustomer(signal?: AbortSignal): Promise<PrintCustomer | null> {
  return (await request<{ customer: PrintCustomer | null }>('/api/walgreens/customer', { signal })).customer
}

export async function rememberCustomer(customer: PrintCustomer): Promise<void> {
  await post('/api/walgreens/customer', customer, { method: 'PUT' })
}

export async function forgetCustomer(): Promise<void> {
  await post('/api/walgreens/customer', undefined, { method: 'DELETE' })
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

type Calls = PrintOrdersPaths

/** An image to prepare: with a product the file for its print, without one a proof for the screen. */
export interface PrintImageRequest {
  photoId: number
  productId?: string
  crop?: Crop
}

/** The state of an image that is prepared for printing; absent values are null. */
export type PrintImage = ResponseBody<Calls['/api/walgreens/prepare-images']['post']>['images'][number]

/** An image that was uploaded for printing. */
export interface UploadedPrintImage {
  filename: string
  url: string
  expiresAt: string
  width: number
  height: number
}

type Product = ResponseBody<Calls['/api/walgreens/products']['post']>['products'][number]
/** A print size that the partner sells. */
export type PrintProduct = Pick<Product, 'productId' | 'productDesc' | 'productSize' | 'productPrice'> &
  Partial<Pick<Product, 'resWidth' | 'resHeight' | 'dpi'>>

type Store = ResponseBody<Calls['/api/walgreens/store-search']['post']>['photoStores'][number]['photoStoreDetails']
/** A store that prints photos. `tax` is the partner's figure for the prints; it is not part of the total. */
export type PrintStore = Omit<Store, 'distanceUnit' | 'type' | 'latitude' | 'longitude' | 'timeZone' | 'tax'> &
  Partial<Pick<Store, 'timeZone' | 'tax'>>

type Coupon = ResponseBody<Calls['/api/walgreens/validate-coupon']['post']>
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
export type PrintCustomer = NonNullable<ResponseBody<Calls['/api/walgreens/customer']['get']>['customer']>
