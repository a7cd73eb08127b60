import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseCents } from '../money.ts'
import type { Call } from './call.ts'
import { countOf, hasAny, Loose, Scalar, textOf, textsOf } from './fields.ts'
import {
  type AcceptedCredentials,
  type Coupon,
  type Product,
  ProductBody,
  type ProductQuantity,
  type StatusEntry,
  type Store,
  StoreBody,
  type StoreSearch,
  type SubmitRequest,
} from './types.ts'

/** The response has a token for uploads to the partner, which is never read. */
const CredentialsResponse = Type.Object({ uploadLimit: Loose, template: Loose, landingUrl: Loose, cloud: Loose })

export function credentialsCall(): Call<AcceptedCredentials> {
  return {
    name: 'credentials',
    path: '/api/photo/creds/v3',
    body: { platform: 'web', transaction: 'photocheckoutv2' },
    read: readCredentials,
  }
}

function readCredentials(response: unknown): AcceptedCredentials | null {
  if (!Value.Check(CredentialsResponse, response) || !hasAny(response, Object.keys(CredentialsResponse.properties)))
    return null
  return { uploadLimit: countOf(response.uploadLimit) }
}

const ProductsResponse = Type.Object({ products: Type.Array(Type.Unknown()) })
const ProductEntry = Type.Object({ productId: Scalar, productPrice: Scalar })
const { productId: _id, productPrice: _price, ...productTexts } = ProductBody.properties
const PRODUCT_TEXTS = Object.keys(productTexts) as (keyof typeof productTexts)[]

/** The group of single prints. */
const DEFAULT_GROUP = 'STDPR'

export function productsCall(groupId = DEFAULT_GROUP): Call<Product[]> {
  return {
    name: 'products',
    path: '/api/photo/products/v3',
    body: { act: 'getphotoprods', productGroupId: groupId },
    read: readProducts,
  }
}

/** Products without an id or a price cannot be ordered and are left out. */
function readProducts(response: unknown): Product[] | null {
  if (!Value.Check(ProductsResponse, response)) return null
  const products = response.products.map(readProduct).filter((product) => product !== null)
  return products.length === 0 && response.products.length > 0 ? null : products
}

function readProduct(entry: unknown): Product | null {
  if (!Value.Check(ProductEntry, entry)) return null
  const productId = textOf(entry.productId)
  const productPrice = textOf(entry.productPrice)
  const priceCents = parseCents(productPrice)
  if (productId === null || productPrice === null || priceCents === null) return null
  return { productId, productPrice, priceCents, ...textsOf(entry, PRODUCT_TEXTS) }
}

const StoresResponse = Type.Object({ photoStores: Type.Union([Type.Array(Type.Unknown()), Type.Null()]) })
const StoreEntry = Type.Object({ photoStoreDetails: Type.Object({ storeNum: Scalar }) })
const { storeNum: _number, ...storeTexts } = StoreBody.properties
const STORE_TEXTS = Object.keys(storeTexts) as (keyof typeof storeTexts)[]

export function storesCall({ latitude, longitude, items }: StoreSearch): Call<Store[]> {
  const productDetails = items.map(({ productId, quantity }) => ({ productId, qty: String(quantity) }))
  return {
    name: 'stores',
    path: '/api/photo/store/v3',
    body: { act: 'photoStores', latitude, longitude, productDetails },
    read: readStores,
  }
}

/** Stores without a number cannot be chosen and are left out. */
function readStores(response: unknown): Store[] | null {
  if (!Value.Check(StoresResponse, response)) return null
  const entries = response.photoStores ?? []
  const stores = entries.map(readStore).filter((store) => store !== null)
  return stores.length === 0 && entries.length > 0 ? null : stores
}

function readStore(entry: unknown): Store | null {
  if (!Value.Check(StoreEntry, entry)) return null
  const storeNum = textOf(entry.photoStoreDetails.storeNum)
  return storeNum === null ? null : { storeNum, ...textsOf(entry.photoStoreDetails, STORE_TEXTS) }
}

const CouponResponse = Type.Object({
  status: Loose,
  err: Loose,
  errDesc: Loose,
  orderTotalPrice: Loose,
  orderDiscountPrice: Loose,
})

export function couponCall(request: { couponCode: string; items: ProductQuantity[] }): Call<Coupon> {
  const productDetails = request.items.map(({ productId, quantity }) => ({ productId, qty: String(quantity) }))
  return {
    name: 'coupon',
    path: '/api/photo/order/coupon/v3',
    body: { act: 'getdiscount', couponCode: request.couponCode, productDetails },
    read: readCoupon,
  }
}

/** A discount that is no amount is unusable; without one the coupon is accepted and saves nothing. */
function readCoupon(response: unknown): Coupon | null {
  if (!Value.Check(CouponResponse, response) || !hasAny(response, ['status', 'err', 'orderDiscountPrice'])) return null
  const texts = textsOf(response, ['status', 'orderTotalPrice', 'orderDiscountPrice'])
  const discountCents = texts.orderDiscountPrice === null ? 0 : parseCents(texts.orderDiscountPrice)
  if (discountCents === null) return null
  return { ...texts, err: '', errDesc: textOf(response.errDesc) ?? '', discountCents }
}

const SubmitResponse = Type.Object({ vendorOrderId: Loose })
const NUMBER_MAX = 100

/** Places an order. The value is the partner's number. */
export function submitCall({ products, couponCode, ...order }: SubmitRequest): Call<string> {
  const productDetails = products.map(({ productId, images }) => ({
    productId,
    imageDetails: images.map(({ url, quantity }) => ({ url, qty: String(quantity) })),
  }))
  return {
    name: 'submit',
    path: '/api/photo/order/submit/v3',
    body: { act: 'submitphotoorder', ...order, productDetails, ...(couponCode && { couponCode }) },
    read: readNumber,
    isContradictory: (response) => readNumber(response) !== null,
  }
}

/** Texts that are no number of an order, but what a program writes without one. */
const NO_NUMBER = /^(0|-.*|null|undefined|false|true|nan|-?infinity)$/i

function readNumber(response: unknown): string | null {
  if (!Value.Check(SubmitResponse, response)) return null
  const { vendorOrderId } = response
  if (typeof vendorOrderId === 'number' && !Number.isSafeInteger(vendorOrderId)) return null
  const number = textOf(vendorOrderId)
  return number !== null && !NO_NUMBER.test(number) && number.length <= NUMBER_MAX ? number : null
}

const StatusResponse = Type.Object({ statuses: Type.Array(Type.Unknown()) })
const StatusRow = Type.Object({ orderId: Scalar, valid: Loose, code: Loose, orderStatus: Loose })
const INVALID = /^(false|no?|0)$/i

export function statusCall(vendorOrderIds: string[]): Call<StatusEntry[]> {
  return {
    name: 'status',
    path: '/api/photo/order/status/v3',
    body: { act: 'orderstatus', orders: vendorOrderIds },
    read: readStatuses,
  }
}

/** Entries that name no order are left out. */
function readStatuses(response: unknown): StatusEntry[] | null {
  if (!Value.Check(StatusResponse, response)) return null
  return response.statuses.map(readStatus).filter((entry) => entry !== null)
}

function readStatus(entry: unknown): StatusEntry | null {
  if (!Value.Check(StatusRow, entry)) return null
  const vendorOrderId = textOf(entry.orderId)
  if (vendorOrderId === null) return null
  return {
    vendorOrderId,
    valid: !INVALID.test(textOf(entry.valid) ?? ''),
    code: textOf(entry.code),
    orderStatus: textOf(entry.orderStatus),
  }
}
