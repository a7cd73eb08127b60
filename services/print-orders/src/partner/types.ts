import { Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'

/** The partner's environments. In the sandbox nothing is printed. */
export const ENVIRONMENTS = ['sandbox', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** Why a call has no response of the partner that can be used. */
export type FailureKind =
  /** The environment has no address, or there are no credentials. */
  | 'not_configured'
  /** No complete response within the time limit. */
  | 'timeout'
  /** No connection: nothing was sent. */
  | 'connection'
  /** The connection broke after it was made. */
  | 'reset'
  /** An HTTP status of 3xx, 4xx or 5xx without a reason that can be read. */
  | 'http'
  /** HTML, half a response, no JSON, or JSON without what was requested. */
  | 'unreadable'
  /** A response above the size limit. */
  | 'too_large'
  /** 429 of the partner, or our own limit, and no time left to wait. */
  | 'rate_limited'
  /** Too many calls failed just before: the partner is left alone for some seconds. */
  | 'circuit_open'

export interface Failure {
  kind: FailureKind
  /** HTTP status of the response, if there was one. */
  status?: number
  /** A 429 of which it is certain that the partner did not do what was requested. */
  isRejection?: boolean
  /** When a further attempt makes sense. */
  retryAfterMs?: number
}

/** What the partner says when it does not do what was requested: its code and its words, which may be empty. */
export interface PartnerError {
  /** Such as 112, 659, 661, 851, 2003; the reference has their meanings. */
  code: string
  words: string
  /** The field `status` of the response. */
  status: string | null
}

/** The result of a call that only reads. */
export type ReadOutcome<Value> =
  | { outcome: 'ok'; value: Value }
  | ({ outcome: 'error' } & PartnerError)
  | ({ outcome: 'failed' } & Failure)

/** The result of a submit, of which exactly one request is sent, or none. */
export type SubmitOutcome =
  | { outcome: 'accepted'; vendorOrderId: string }
  /** The partner rejected the order. */
  | ({ outcome: 'rejected' } & PartnerError)
  /** No order exists: nothing was sent, or the partner clearly rejected it with 429. */
  | ({ outcome: 'notSent' } & Failure)
  /** The order may exist. */
  | ({ outcome: 'unknown' } & Failure)

export interface CallOptions {
  /** Time for the call with its waiting and its retries; PARTNER_TIMEOUT_MS by default. */
  withinMs?: number
  /** A call that nobody waits for: it gets only a share of the rate limit. */
  background?: boolean
}

const Text = Nullable(Type.String())

/** A product: the partner's texts, trimmed; null where absent. */
export const ProductBody = Type.Object({
  productId: Type.String(),
  productGroupId: Text,
  productDesc: Text,
  productSize: Text,
  productPrice: Type.String({ description: 'Dollars' }),
  currencyType: Text,
  resWidth: Text,
  resHeight: Text,
  dpi: Text,
  multiImageIndicator: Text,
  boxQty: Text,
  vendorQtyLimit: Text,
  templateUrl: Text,
})

/** A store near a position: the partner's texts, trimmed; null where absent. */
export const StoreBody = Type.Object({
  storeNum: Type.String(),
  storeName: Text,
  street: Text,
  city: Text,
  state: Text,
  zip: Text,
  phone: Text,
  distance: Text,
  distanceUnit: Text,
  latitude: Text,
  longitude: Text,
  promiseTime: Nullable(Type.String({ description: 'MM-DD-YYYY H:MM AM, local time of the store' })),
  openTime: Text,
  closeTime: Text,
  timeZone: Text,
  type: Text,
  tax: Text,
})

/** The response to a coupon. */
export const CouponBody = Type.Object({
  status: Text,
  err: Type.String({ description: "The partner's code; empty when the coupon is accepted" }),
  errDesc: Type.String(),
  orderTotalPrice: Text,
  orderDiscountPrice: Text,
})

/** With `productPrice` in integer cents. */
export type Product = Static<typeof ProductBody> & { priceCents: number }
export type Store = Static<typeof StoreBody>
/** With `orderDiscountPrice` in integer cents, 0 where absent and unless the coupon was accepted. */
export type Coupon = Static<typeof CouponBody> & { discountCents: number }

/** What is known of accepted credentials; the token for uploads is not read. */
export interface AcceptedCredentials {
  uploadLimit: number | null
}

/** One entry of a status response. Ids that the partner left out have none. */
export interface StatusEntry {
  vendorOrderId: string
  /** False: the partner does not know the order. */
  valid: boolean
  code: string | null
  /** The partner's text, such as `Ready for Pickup`; null where absent. */
  orderStatus: string | null
}

export interface ProductQuantity {
  productId: string
  quantity: number
}

export interface StoreSearch {
  /** Decimal degrees. */
  latitude: string
  longitude: string
  items: ProductQuantity[]
}

/** An order as sent to the partner; our own amounts are no part of it. */
export interface SubmitRequest {
  firstName: string
  lastName: string
  /** Digits only. */
  phone: string
  email: string
  storeNum: string
  /** Issued by the partner for this store just before. */
  promiseTime: string
  products: { productId: string; images: { url: string; quantity: number }[] }[]
  couponCode: string | null
  /** A note of ours on the order. */
  affNotes: string
}

/** Marks orders that are never printed, in the partner's own words. */
export const TEST_NOTE = 'Test Order, Do not print!'
