import { AppError, badRequest, invalidFields, oneLine } from '@skyfolio/kit'
import type { FreshFigures } from '../catalog/fresh-figures.ts'
import { formatCents, parseCents } from '../money.ts'
import type { Product, Store } from '../partner/types.ts'
import { type Amounts, amountsOf, splitQuantity, TOTAL_LIMIT_CENTS } from './amounts.ts'
import { canonical, identityOf } from './hashes.ts'
import { isPromiseBroken } from './promise-time.ts'
import type { OrderRequest, RequestedLine } from './submit-request.ts'

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
export interface Figures {
  subtotalAmount: string
  discountAmount: string
  totalAmount: string
  promiseTime: string
}

const WORDS_MAX = 200
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

/** Whether the customer has to confirm the partner's figures: they are not those that were shown. */
export function isChanged(request: OrderRequest, order: PricedOrder): boolean {
  return (
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

/** What a change means for the customer. */
export function describeChange(request: OrderRequest, order: PricedOrder, coupon: FreshFigures['coupon']): string {
  const total = `The total is now $${formatCents(order.totalCents)}. Please check and confirm.`
  if (coupon && coupon.err !== '' && request.totalCents < order.totalCents) {
    const words = oneLine(coupon.errDesc).slice(0, WORDS_MAX)
    return `The coupon is not accepted any more${words && ` (${words})`}. ${total}`
  }
  if (request.totalCents !== order.totalCents || request.subtotalCents !== order.subtotalCents) {
    return total
  }
  return isPromiseBroken(request.promiseTime, order.promiseTime)
    ? 'The store has changed the pickup time. Please check and confirm.'
    : 'A price has changed. Please check and confirm.'
}

/** The prints of an order as the partner wants them: by product, at most 20 prints in an entry. */
export function toPartnerProducts(lines: { productId: string; quantity: number; url: string }[]) {
  return [...Map.groupBy(lines, ({ productId }) => productId)].map(([productId, group]) => ({
    productId,
    images: group.flatMap(({ url, quantity }) => splitQuantity(quantity).map((part) => ({ url, quantity: part }))),
  }))
}
