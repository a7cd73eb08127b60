import type {
  OrderedImage,
  OrderFigures,
  OrderRequest,
  PrintProduct,
  PrintStore,
  ProductQuantity,
} from '../../api/print-orders.ts'
import { countOf } from '../../lib/format.ts'
import { centsToText, formatCents, toCents } from '../../lib/order-formats.ts'
import { DEFAULT_SIZE } from './prints-state.ts'
import type { Print, WizardState } from './wizard-types.ts'

/** The partner's limits of one order. */
const MAX_ORDER_CENTS = 99_800
const MAX_IMAGES = 200
const PRINTS_PER_IMAGE = 20

/** The name of a product: its description, or '4x6 Print'. */
export function productName(product: Pick<PrintProduct, 'productDesc' | 'productSize'>): string {
  return product.productDesc?.trim() || `${product.productSize?.trim() || DEFAULT_SIZE} Print`
}

export function productOf(state: WizardState, print: Pick<Print, 'productId'>): PrintProduct | null {
  return state.products?.find(({ productId }) => productId === print.productId) ?? null
}

export function chosenStore(state: WizardState): PrintStore | null {
  return state.search.stores?.find(({ storeNum }) => storeNum === state.storeNum) ?? null
}

/** The price of one print of a product in cents. */
export function priceOf(product: PrintProduct | null): number {
  return toCents(product?.productPrice) ?? 0
}

/** The number of prints by product, in the order of the list. */
export function quantities(state: WizardState): ProductQuantity[] {
  const total = new Map<string, number>()
  for (const { productId, quantity } of state.prints) {
    if (productId !== null) total.set(productId, (total.get(productId) ?? 0) + quantity)
  }
  return [...total].map(([productId, quantity]) => ({ productId, quantity }))
}

/** Amounts in cents. */
export interface Amounts {
  subtotal: number
  discount: number
  total: number
}

/** The total is the subtotal minus the discount, never below 0. Figures of the server replace the computed ones. */
export function amountsOf(state: WizardState): Amounts {
  if (state.confirmed) return toAmounts(state.confirmed)
  const subtotal = state.prints.reduce((sum, print) => sum + priceOf(productOf(state, print)) * print.quantity, 0)
  const discount = Math.min(subtotal, state.coupon.status === 'valid' ? state.coupon.discountCents : 0)
  return { subtotal, discount, total: subtotal - discount }
}

export function toAmounts(figures: OrderFigures): Amounts {
  return {
    subtotal: toCents(figures.subtotalAmount) ?? 0,
    discount: toCents(figures.discountAmount) ?? 0,
    total: toCents(figures.totalAmount) ?? 0,
  }
}

/** Why the prints are not an order yet; null if they are. */
export function printsProblem(state: WizardState): string | null {
  if (state.prints.length === 0) return 'Add at least one print.'
  if (state.prints.some(({ productId }) => productId === null)) return 'Choose a size for every print.'
  const images = state.prints.reduce((sum, { quantity }) => sum + Math.ceil(quantity / PRINTS_PER_IMAGE), 0)
  if (images > MAX_IMAGES) {
    return `An order can have at most ${MAX_IMAGES} images, ${PRINTS_PER_IMAGE} prints of each; this one needs ${images}. Order the rest separately.`
  }
  return null
}

/** Why the order is too expensive; null if it is not. */
export function amountProblem(state: WizardState): string | null {
  const { total } = amountsOf(state)
  if (total < MAX_ORDER_CENTS) return null
  return `An order must stay under ${formatCents(MAX_ORDER_CENTS)}; this one costs ${formatCents(total)}. Order the rest separately.`
}

const digitsOf = (text: string) => text.replace(/\D/g, '')

/** True when everything that an order needs is there. */
export function isComplete(state: WizardState): boolean {
  const { firstName, lastName, email, phone } = state.customer
  const filled = [firstName, lastName, email].every((text) => text.trim() !== '') && digitsOf(phone) !== ''
  const possible = printsProblem(state) === null && amountProblem(state) === null
  return filled && state.termsAccepted && chosenStore(state) !== null && possible
}

/** The customer details as they are sent: trimmed, the phone in digits only. */
export function customerOf({ customer }: WizardState): WizardState['customer'] {
  const { firstName, lastName, email, phone } = customer
  return { firstName: firstName.trim(), lastName: lastName.trim(), email: email.trim(), phone: digitsOf(phone) }
}

function imageOf(state: WizardState, print: Print): OrderedImage {
  const url = state.photos.find(({ id }) => id === print.photoId)?.picture?.uploadedUrl
  if (url) return { url, qty: print.quantity }
  return { photoId: print.photoId, ...(print.crop && { crop: print.crop }), qty: print.quantity }
}

/** The order as it is sent. */
export function orderRequest(state: WizardState): OrderRequest {
  const { subtotal, total } = amountsOf(state)
  const store = chosenStore(state)
  return {
    storeNum: store?.storeNum ?? '',
    promiseTime: state.confirmed?.promiseTime ?? store?.promiseTime ?? 'Same Day',
    ...customerOf(state),
    productDetails: quantities(state).map(({ productId }) => ({
      productId,
      productPrice: centsToText(priceOf(productOf(state, { productId }))),
      imageDetails: state.prints.filter((print) => print.productId === productId).map((print) => imageOf(state, print)),
    })),
    orderTotal: centsToText(total),
    subtotal: centsToText(subtotal),
    ...(state.coupon.status === 'valid' && { couponCode: state.coupon.code.trim() }),
    termsAccepted: state.termsAccepted,
  }
}

/** '3 prints'. */
export function describePrints(prints: readonly Print[]): string {
  return countOf(
    prints.reduce((sum, { quantity }) => sum + quantity, 0),
    'print',
  )
}
