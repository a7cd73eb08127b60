import {
  type OrderedImage,
  type OrderFigures,
  type OrderRequest,
  type PrintImageRequest,
  type PrintProduct,
  type PrintStore,
  type ProductQuantity,
  type SubmitBody,
  submitBody,
} from '../../api/print-orders.ts'
import { z } from '../../lib/forms.ts'
import { centsToText, formatCents, toCents } from '../../lib/order-formats.ts'
import { type Print, randomKey, storesToChoose, type WizardState } from './wizard-state.ts'
import type { Attempt } from './wizard-store.ts'

/** The partner's limits of one order. */
const MAX_ORDER_CENTS = 99_800
const MAX_IMAGES = 200
const PRINTS_PER_IMAGE = 20

const text = z.string().check(z.trim(), z.minLength(1))

/** The details of the customer as they are sent: trimmed, the phone in digits only. */
const customerSchema = z.object({
  firstName: text,
  lastName: text,
  email: text,
  phone: z.string().check(
    z.overwrite((typed) => typed.replace(/\D/g, '')),
    z.minLength(1),
  ),
})

export const DEFAULT_SIZE = '4x6'

/** The name of a product: its description, or '4x6 Print'. */
export function productName(product: Pick<PrintProduct, 'productDesc' | 'productSize'>): string {
  return product.productDesc?.trim() || `${product.productSize?.trim() || DEFAULT_SIZE} Print`
}

export function productOf(state: WizardState, print: Pick<Print, 'productId'>): PrintProduct | null {
  return state.products?.find(({ productId }) => productId === print.productId) ?? null
}

export function chosenStore(state: WizardState): PrintStore | null {
  return storesToChoose(state).find(({ storeNum }) => storeNum === state.storeNum) ?? null
}

/** When the prints are ready: as the user confirmed it, or as the store said. */
export function promiseTimeOf(state: WizardState): string | null {
  return state.confirmed?.promiseTime ?? chosenStore(state)?.promiseTime ?? null
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
type Amounts = Record<'subtotal' | 'discount' | 'total', number>

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
export function printsProblem({ prints }: WizardState): string | null {
  if (prints.length === 0) return 'Add at least one print.'
  if (prints.some(({ productId }) => productId === null)) return 'Choose a size for every print.'
  const images = prints.reduce((sum, { quantity }) => sum + Math.ceil(quantity / PRINTS_PER_IMAGE), 0)
  if (images <= MAX_IMAGES) return null
  return `An order can have at most ${MAX_IMAGES} images, ${PRINTS_PER_IMAGE} prints of each; this one needs ${images}. Order the rest separately.`
}

/** Why the order is too expensive; null if it is not. */
export function amountProblem(state: WizardState): string | null {
  const { total } = amountsOf(state)
  if (total < MAX_ORDER_CENTS) return null
  return `An order must stay under ${formatCents(MAX_ORDER_CENTS)}; this one costs ${formatCents(total)}. Order the rest separately.`
}

export function isComplete(state: WizardState): boolean {
  const isPossible = printsProblem(state) === null && amountProblem(state) === null && chosenStore(state) !== null
  return isPossible && state.termsAccepted && customerSchema.safeParse(state.customer).success
}

function imageOf(state: WizardState, print: Print): OrderedImage {
  const url = state.photos.find(({ id }) => id === print.photoId)?.picture?.uploadedUrl
  if (url) return { url, qty: print.quantity }
  return { photoId: print.photoId, ...(print.crop && { crop: print.crop }), qty: print.quantity }
}

export function orderRequest(state: WizardState): OrderRequest {
  const { subtotal, total } = amountsOf(state)
  const couponCode = state.coupon.code.trim()
  return {
    storeNum: chosenStore(state)?.storeNum ?? '',
    promiseTime: promiseTimeOf(state) ?? 'Same Day',
    // Incomplete details are never sent, only compared.
    ...(customerSchema.safeParse(state.customer).data ?? state.customer),
    productDetails: quantities(state).map(({ productId }) => ({
      productId,
      productPrice: centsToText(priceOf(productOf(state, { productId }))),
      imageDetails: state.prints.filter((print) => print.productId === productId).map((print) => imageOf(state, print)),
    })),
    orderTotal: centsToText(total),
    subtotal: centsToText(subtotal),
    ...(couponCode && state.coupon.status !== 'refused' && { couponCode }),
    termsAccepted: state.termsAccepted,
  }
}

export function attemptOf(order: WizardState): Attempt {
  const { userId, session, remember } = order
  const { subtotal, discount, total } = amountsOf(order)
  const figures = {
    subtotalAmount: centsToText(subtotal),
    discountAmount: centsToText(discount),
    totalAmount: centsToText(total),
    promiseTime: promiseTimeOf(order),
  }
  return { userId, session, remember, key: randomKey(), body: bodyOf(order), sentAt: 0, figures }
}

export function isSameOrder(order: WizardState, { session, body }: Attempt): boolean {
  return order.session === session && JSON.stringify(bodyOf(order)) === JSON.stringify(body)
}

function bodyOf(order: WizardState): SubmitBody {
  return submitBody(orderRequest(order))
}

/** The files that an order needs: one for each own photo, size and crop. */
export function printFilesOf(state: WizardState): PrintImageRequest[] {
  const own = new Set(state.photos.filter((photo) => photo.own).map(({ id }) => id))
  const files = new Map<string, PrintImageRequest>()
  for (const { photoId, productId, crop } of state.prints) {
    if (productId === null || !own.has(photoId)) continue
    const file = { photoId, productId, ...(crop && { crop }) }
    files.set(JSON.stringify(file), file)
  }
  return [...files.values()]
}
