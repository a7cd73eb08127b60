import { AppError, badRequest, invalidFields, oneLine } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { FreshFigures } from '../catalog/fresh-figures.ts'
import { formatCents, parseCents } from '../money.ts'
import type { Product, Store } from '../partner/types.ts'
import { canonical, identityOf } from './hashes.ts'
import { type OrderRequest, PRINTS_PER_ENTRY, type RequestedLine } from './submit-request.ts'

/** Amounts of an order in integer cents. */
export interface Amounts {
  subtotalCents: number
  discountCents: number
  totalCents: number
}

/** A line of an order with the partner's product. The same print of the same image is one line. */
export interface PricedLine extends RequestedLine {
  product: Product
}

/** An order with the partner's figures. */
export interface PricedOrder extends Amounts {
  lines: PricedLine[]
  store: Store
  promiseTime: string
  /** Null without a coupon, and for one that the partner does not accept. */
  couponCode: string | null
  taxCents: number | null
}

/** The figures as a response tells them. */
export const FiguresBody = Type.Object({
  subtotalAmount: Type.String(),
  discountAmount: Type.String(),
  totalAmount: Type.String(),
  promiseTime: Type.String(),
})
export type Figures = Static<typeof FiguresBody>

/** The figures that hold now, of an order that is not placed with those that the customer saw. */
export const CurrentBody = Type.Object({
  ...FiguresBody.properties,
  couponMessage: Type.Optional(
    Type.String({ description: 'Why the coupon does not count; the figures are those without it' }),
  ),
})
export type CurrentFigures = Static<typeof CurrentBody>

/** The partner takes orders under this amount, after the coupon. */
export const TOTAL_LIMIT_CENTS = 99_800
const WORDS_MAX = 200
const NOT_CONFIGURED_CODE = '661'
const NOT_CONFIGURED = 'This coupon is not configured for your account. Contact support for available promotions.'
const PRODUCT_GONE = 'This size is not available any more. Please choose another one.'
const STORE_GONE = 'This store cannot take the order now. Please choose another store.'
const NO_PROMISE = 'The store did not say when the prints will be ready. Please try again or choose another store.'
const TOO_EXPENSIVE = `An order must stay under $${formatCents(TOTAL_LIMIT_CENTS)}. Please split it into smaller orders.`

/** The order at the partner's current figures. @throws AppError 400, 502 when it cannot be ordered at all */
export function priceOrder(request: OrderRequest, { products, store, coupon }: FreshFigures): PricedOrder {
  const lines = mergeLines(request.lines).map((line) => ({ ...line, product: productOf(line, products) }))
  if (!store) throw invalidFields({ storeNum: STORE_GONE })
  if (!store.promiseTime) throw new AppError(502, 'partner_failed', NO_PROMISE)
  const isAccepted = coupon !== null && coupon.err === ''
  const discountCents = isAccepted ? coupon.discountCents : 0
  const amounts = amountsOf(
    lines.map(({ product, quantity }) => ({ priceCents: product.priceCents, quantity })),
    discountCents,
  )
  if (amounts.totalCents >= TOTAL_LIMIT_CENTS) throw badRequest(TOO_EXPENSIVE)
  const couponCode = isAccepted ? request.couponCode : null
  return { ...amounts, lines, store, promiseTime: store.promiseTime, couponCode, taxCents: parseCents(store.tax) }
}

function productOf(line: RequestedLine, products: Map<string, Product>): Product {
  const product = products.get(line.productId)
  if (!product) throw invalidFields({ [line.field.replace(/\.imageDetails.*/, '.productId')]: PRODUCT_GONE })
  return product
}

function mergeLines(lines: RequestedLine[]): RequestedLine[] {
  const merged = new Map<string, RequestedLine>()
  for (const line of lines) {
    const key = canonical([line.productId, line.priceCents, identityOf(line.image)])
    const same = merged.get(key)
    merged.set(key, same ? { ...same, quantity: same.quantity + line.quantity } : line)
  }
  return [...merged.values()]
}

/** Whether the customer has to confirm the partner's figures: they are not those that were shown, or lack the coupon. */
export function isChanged(request: OrderRequest, order: PricedOrder): boolean {
  return (
    request.couponCode !== order.couponCode ||
    order.lines.some(({ priceCents, product }) => priceCents !== product.priceCents) ||
    request.subtotalCents !== order.subtotalCents ||
    request.totalCents !== order.totalCents ||
    isPromiseBroken(request.promiseTime, order.promiseTime)
  )
}

export function figuresOf(order: Amounts & { promiseTime: string | null }): Figures {
  return {
    subtotalAmount: formatCents(order.subtotalCents),
    discountAmount: formatCents(order.discountCents),
    totalAmount: formatCents(order.totalCents),
    promiseTime: order.promiseTime ?? '',
  }
}

/** What holds now, and why a coupon does not count. */
export function currentFigures(order: PricedOrder, coupon: FreshFigures['coupon']): CurrentFigures {
  const couponMessage = couponProblem(coupon)
  return { ...figuresOf(order), ...(couponMessage !== null && { couponMessage }) }
}

/** What a change means for the customer. */
export function describeChange(request: OrderRequest, order: PricedOrder, coupon: FreshFigures['coupon']): string {
  const total = `The total is now $${formatCents(order.totalCents)}. Please check and confirm.`
  const problem = couponProblem(coupon)
  if (problem !== null) return `${problem} ${total}`
  if (request.totalCents !== order.totalCents || request.subtotalCents !== order.subtotalCents) {
    return total
  }
  return isPromiseBroken(request.promiseTime, order.promiseTime)
    ? 'The store has changed the pickup time. Please check and confirm.'
    : 'A price has changed. Please check and confirm.'
}

/** Why a coupon does not count; null when it does, and without one. */
function couponProblem(coupon: FreshFigures['coupon']): string | null {
  if (!coupon || coupon.err === '') return null
  if (coupon.err === NOT_CONFIGURED_CODE) return NOT_CONFIGURED
  const words = oneLine(coupon.errDesc).slice(0, WORDS_MAX)
  return `This coupon code is not valid for this order${words && ` (${words})`}.`
}

/** The prints of an order as the partner wants them: by product, at most 20 prints in an entry. */
export function toPartnerProducts(lines: { productId: string; quantity: number; url: string }[]) {
  return [...Map.groupBy(lines, ({ productId }) => productId)].map(([productId, group]) => ({
    productId,
    images: group.flatMap(({ url, quantity }) => splitQuantity(quantity).map((part) => ({ url, quantity: part }))),
  }))
}

/** Splits a quantity into entries of as many prints as the partner takes at once. */
export function splitQuantity(quantity: number): number[] {
  const full = Array.from({ length: Math.floor(quantity / PRINTS_PER_ENTRY) }, () => PRINTS_PER_ENTRY)
  const rest = quantity % PRINTS_PER_ENTRY
  return rest > 0 ? [...full, rest] : full
}

/** The amounts of an order: the discount is at most the subtotal, so that the total is never below 0. */
export function amountsOf(lines: { priceCents: number; quantity: number }[], discountCents: number): Amounts {
  const subtotalCents = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0)
  const discount = Math.min(discountCents, subtotalCents)
  return { subtotalCents, discountCents: discount, totalCents: subtotalCents - discount }
}

/** A promise time: minutes of a day, in the time of the store. */
interface LocalTime {
  day: string
  minutes: number
}

const FORMAT = /^(\d{1,2})-(\d{1,2})-(\d{4}) (\d{1,2}):(\d{2})(?::\d{2})? ?([AP]M)$/i
const DAY_MS = 86_400_000
/** A store that has the prints ready this much later than shown has to be confirmed. */
const TOLERATED_MINUTES = 60
/** The partner promises no exact time, and how the wizard shows it. */
const NO_TIME = '01-01-3000 00:00 AM'
const NO_TIME_TEXT = 'Within 48 hours'

/**
 * Whether the customer has to confirm the store's fresh promise time: it is on another day than the one shown, or more
 * than an hour later, or one of both cannot be read. A text without digits, such as 'Same Day', stands for the fresh time.
 */
export function isPromiseBroken(shown: string, fresh: string): boolean {
  if (shown === fresh || !/\d/.test(shown)) return false
  const expected = readLocalTime(shown === NO_TIME_TEXT ? NO_TIME : shown)
  const now = readLocalTime(fresh)
  if (!expected || !now) return true
  return now.day !== expected.day || now.minutes - expected.minutes > TOLERATED_MINUTES
}

/** Reads `MM-DD-YYYY H:MM AM/PM`, also with seconds, the sentinel included; null for any other text. */
function readLocalTime(text: string): LocalTime | null {
  const [, month, day, year, hour, minute, half] = FORMAT.exec(text.trim()) ?? []
  if (month === undefined) return null
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const hours = (Number(hour) % 12) + (half?.toUpperCase() === 'PM' ? 12 : 0)
  return { day: String(date / DAY_MS), minutes: hours * 60 + Number(minute) }
}
