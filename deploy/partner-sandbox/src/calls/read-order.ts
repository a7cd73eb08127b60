import { discountOf } from '../catalog/coupons.ts'
import type { Product } from '../catalog/products.ts'
import { dollars } from '../catalog/products.ts'
import type { Promised } from '../catalog/promise-time.ts'
import { findStore, type Store } from '../catalog/stores.ts'
import { simulatedError } from '../state/business-error.ts'
import { MINUTE } from '../state/clock.ts'
import type { Profile } from '../state/profile.ts'
import { type Call, COMMON_FIELDS, currentPrice, knownProduct } from './call.ts'
import type { RequestFields } from './fields.ts'

/** An entry of imageDetails. */
export interface PrintLine {
  product: Product
  url: string
  quantity: number
}

export interface RequestedOrder {
  customer: { firstName: string; lastName: string; phone: string; email: string }
  store: Store
  promised: Promised
  lines: PrintLine[]
  couponCode: string
  affNotes: string
  subtotalCents: number
  discountCents: number
}

/** The checks of a submit. @throws BusinessError for the first that fails */
export function readOrder(call: Call): RequestedOrder {
  const { request, profile } = call
  const order = ['storeNum', 'promiseTime', 'productDetails', 'couponCode', 'affNotes', 'publisherId']
  request.expectOnly(...COMMON_FIELDS, 'firstName', 'lastName', 'phone', 'email', ...order)
  const customer = {
    firstName: request.text('firstName'),
    lastName: request.text('lastName'),
    phone: request.text('phone'),
    email: request.text('email'),
  }
  const store = readStore(request)
  const promised = readPromise(call, store)
  const lines = readLines(request)
  checkLimits(lines, profile)
  const couponCode = request.optionalText('couponCode')
  const subtotalCents = lines.reduce((sum, line) => sum + currentPrice(call, line.product) * line.quantity, 0)
  const discountCents = couponCode ? discountOf(couponCode, subtotalCents) : 0
  if (subtotalCents - discountCents >= profile.maximumTotal * 100) {
    throw simulatedError('totalTooHigh', `the total must be under $${dollars(profile.maximumTotal * 100)}`)
  }
  const affNotes = request.optionalText('affNotes').slice(0, 500)
  return { customer, store, promised, lines, couponCode, affNotes, subtotalCents, discountCents }
}

function readStore(request: RequestFields): Store {
  const store = findStore(request.text('storeNum'))
  if (store) return store
  throw simulatedError('unknownStore', 'unknown storeNum')
}

function readPromise({ state, request, profile, faults, now }: Call, store: Store): Promised {
  const issued = state.promiseTimes.find(store.storeNum, request.text('promiseTime'))
  if (!issued) throw simulatedError('promiseTimeNotIssued', 'this promiseTime was not given for this store')
  const change = faults.get('promise-time-changed')
  const isStale = now - issued.issuedAt > profile.promiseTimeMinutes * MINUTE || now > issued.readyAt
  if (isStale || change?.when === 'before') throw simulatedError('promiseTimeStale', 'promiseTime is no longer valid')
  return change ? { ...issued, readyAt: issued.readyAt + (change.minutes ?? 120) * MINUTE } : issued
}

function readLines(request: RequestFields): PrintLine[] {
  return request.entries('productDetails').flatMap((detail) => {
    detail.expectOnly('productId', 'imageDetails')
    const product = knownProduct(detail.text('productId'))
    return detail.entries('imageDetails').map((image) => {
      image.expectOnly('url', 'qty')
      return { product, url: readUrl(image), quantity: image.quantity('qty') }
    })
  })
}

function readUrl(image: RequestFields): string {
  const url = image.text('url')
  if (url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw simulatedError('badImageUrl', 'the url of an image must be an http address')
}

function checkLimits(lines: PrintLine[], { maximumImages, printsPerImage, printsCountedPer }: Profile): void {
  if (lines.length > maximumImages)
    throw simulatedError('tooManyImages', `an order has at most ${maximumImages} images`)
  const prints = new Map<unknown, number>()
  for (const line of lines) {
    const counted = printsCountedPer === 'url' ? line.url : line
    prints.set(counted, (prints.get(counted) ?? 0) + line.quantity)
  }
  if ([...prints.values()].every((count) => count <= printsPerImage)) return
  throw simulatedError('tooManyPrints', `an image can be printed at most ${printsPerImage} times`)
}
