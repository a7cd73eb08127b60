import type { OrderResult, PrintCustomer, PrintProduct } from '../../api/print-types.ts'
import type { Photo } from '../../api/types.ts'
import type { PrintItem } from '../../photos/open-print-wizard.ts'
import { printSizeOf } from './crop.ts'
import {
  type Coupon,
  type Offer,
  type Picture,
  type Print,
  STEPS,
  type Step,
  type StoreSearch,
  type WizardPhoto,
  type WizardState,
} from './wizard-types.ts'

export const MAX_QUANTITY = 999
export const DEFAULT_SIZE = '4x6'

const NO_COUPON: Coupon = { code: '', status: 'unchecked', message: null, discountCents: 0 }
const NO_SEARCH: StoreSearch = { text: '', position: null, place: null, stores: null, prints: '' }

/** The wizard's first state: one print of each photo, or the prints of an earlier order. */
export function startWizard(userId: number, photos: readonly Photo[], items: readonly PrintItem[] = []): WizardState {
  const prints = photos.flatMap((photo) => printsOf(photo.id, items)).map((print, key) => ({ ...print, key: key + 1 }))
  return {
    userId,
    step: 'upload',
    photos: photos.map((photo) => toWizardPhoto(photo, userId)),
    prints,
    choice: { productId: prints[0]?.productId ?? null, quantity: prints[0]?.quantity ?? 1 },
    products: null,
    search: NO_SEARCH,
    storeNum: null,
    customer: { firstName: '', lastName: '', email: '', phone: '' },
    remember: false,
    coupon: NO_COUPON,
    termsAccepted: false,
    offered: null,
    confirmed: null,
    attempt: null,
    error: null,
    errorLinksToOrders: false,
    fieldErrors: {},
    outcome: null,
  }
}

function printsOf(photoId: number, items: readonly PrintItem[]): Omit<Print, 'key'>[] {
  const ordered = items.filter((item) => item.photoId === photoId)
  if (ordered.length === 0) return [{ photoId, productId: null, quantity: 1, crop: null, custom: false }]
  return ordered.map(({ productId, quantity }) => {
    return { photoId, productId, quantity: clampQuantity(quantity), crop: null, custom: true }
  })
}

function toWizardPhoto(photo: Photo, userId: number): WizardPhoto {
  const printable = /\.(jpe?g|png)$/i.test(photo.filename)
  return {
    id: photo.id,
    title: photo.title || 'Untitled Photo',
    own: photo.userId === userId,
    thumbnailUrl: photo.thumbnailUrl,
    fileUrl: printable ? photo.url : (photo.previewUrl ?? photo.url),
    picture: null,
    failure: null,
  }
}

/** 1 to 999; 1 for anything that is no number. */
export function clampQuantity(value: string | number): number {
  const number = Math.trunc(Number(value))
  return Number.isFinite(number) ? Math.min(Math.max(1, number), MAX_QUANTITY) : 1
}

/** Another order: what was checked for the previous one no longer holds. */
function withPrints(state: WizardState, prints: Print[]): WizardState {
  const coupon: Coupon = { ...state.coupon, status: 'unchecked', message: null, discountCents: 0 }
  return { ...state, prints, coupon, offered: null, confirmed: null }
}

/** Goes to a step; the banner belongs to the step before. */
export function goTo(state: WizardState, step: Step): WizardState {
  return { ...state, step, error: null, errorLinksToOrders: false, offered: null }
}

/** The step before, null where there is no way back. */
export function stepBefore(step: Step): Step | null {
  if (step === 'upload' || step === 'complete') return null
  return STEPS[STEPS.indexOf(step) - 1] ?? null
}

export function withError(state: WizardState, error: string | null, linksToOrders = false): WizardState {
  return { ...state, error, errorLinksToOrders: linksToOrders }
}

function changePhoto(state: WizardState, id: number, change: Partial<WizardPhoto>): WizardState {
  return { ...state, photos: state.photos.map((photo) => (photo.id === id ? { ...photo, ...change } : photo)) }
}

export function photoReady(state: WizardState, id: number, picture: Picture): WizardState {
  return changePhoto(state, id, { picture, failure: null })
}

export function photoFailed(state: WizardState, id: number, failure: string): WizardState {
  return changePhoto(state, id, { picture: null, failure })
}

export function removePhoto(state: WizardState, id: number): WizardState {
  const prints = state.prints.filter(({ photoId }) => photoId !== id)
  return withPrints({ ...state, photos: state.photos.filter((photo) => photo.id !== id) }, prints)
}

/** Products with their prices. A chosen one that is no longer sold is taken back. */
export function productsLoaded(state: WizardState, products: PrintProduct[]): WizardState {
  const sold = (id: string | null) => (products.some(({ productId }) => productId === id) ? id : null)
  const prints = state.prints.map((print) => ({ ...print, productId: sold(print.productId) }))
  const same = prints.every(({ productId }, index) => productId === state.prints[index]?.productId)
  const next = { ...state, products, choice: { ...state.choice, productId: sold(state.choice.productId) } }
  return same ? next : withPrints(next, prints)
}

/** Chooses a size or a quantity for the first print of every photo that has none of its own. */
export function chooseForAll(state: WizardState, change: Partial<WizardState['choice']>): WizardState {
  const first = new Set(state.photos.map(({ id }) => state.prints.find(({ photoId }) => photoId === id)?.key))
  const prints = state.prints.map((print) =>
    first.has(print.key) && !print.custom ? resized(state, { ...print, ...change }, print.productId) : print,
  )
  return withPrints({ ...state, choice: { ...state.choice, ...change } }, prints)
}

/** Changes one print. */
export function changePrint(state: WizardState, key: number, change: Partial<Print>): WizardState {
  const own = 'productId' in change || 'quantity' in change
  const prints = state.prints.map((print) => {
    if (print.key !== key) return print
    return resized(state, { ...print, ...change, custom: print.custom || own }, print.productId)
  })
  return withPrints(state, prints)
}

/** A crop is kept only for a print with the same proportions. */
function resized(state: WizardState, print: Print, before: string | null): Print {
  if (print.productId === before || print.crop === null) return print
  const proportions = (id: string | null) => {
    const size = printSizeOf(state.products?.find(({ productId }) => productId === id) ?? { productSize: null })
    return size && (size.long / size.short).toFixed(3)
  }
  return proportions(print.productId) === proportions(before) ? print : { ...print, crop: null }
}

/** Another size of a photo: the first one that it does not have yet. */
export function addPrint(state: WizardState, photoId: number): WizardState {
  const key = Math.max(0, ...state.prints.map((print) => print.key)) + 1
  const taken = new Set(state.prints.filter((print) => print.photoId === photoId).map(({ productId }) => productId))
  const free = state.products?.find(({ productId }) => !taken.has(productId))
  const print: Print = { key, photoId, productId: free?.productId ?? null, quantity: 1, crop: null, custom: true }
  const last = state.prints.findLastIndex((other) => other.photoId === photoId)
  return withPrints(state, state.prints.toSpliced(last + 1, 0, print))
}

export function removePrint(state: WizardState, key: number): WizardState {
  return withPrints(
    state,
    state.prints.filter((print) => print.key !== key),
  )
}

export function changeSearch(state: WizardState, change: Partial<StoreSearch>): WizardState {
  return { ...state, search: { ...state.search, ...change } }
}

/** The stores of a search. The chosen one stays chosen while it is among them. */
export function storesFound(state: WizardState, found: Omit<StoreSearch, 'text'>): WizardState {
  const stays = found.stores?.some(({ storeNum }) => storeNum === state.storeNum)
  return {
    ...state,
    search: { ...found, text: state.search.text },
    storeNum: stays ? state.storeNum : null,
    confirmed: null,
    error: null,
  }
}

export function chooseStore(state: WizardState, storeNum: string): WizardState {
  return { ...state, storeNum, confirmed: null, offered: null }
}

/** Fills the empty fields of the customer. */
export function prefillCustomer(
  state: WizardState,
  known: Partial<Record<keyof PrintCustomer, string | null>>,
): WizardState {
  const customer = { ...state.customer }
  for (const field of ['firstName', 'lastName', 'email', 'phone'] as const) customer[field] ||= known[field] ?? ''
  return { ...state, customer }
}

export function setRemember(state: WizardState, remember: boolean): WizardState {
  return { ...state, remember }
}

export function acceptTerms(state: WizardState, termsAccepted: boolean): WizardState {
  return { ...state, termsAccepted }
}

export function changeCustomer(state: WizardState, change: Partial<PrintCustomer>): WizardState {
  const fieldErrors = { ...state.fieldErrors }
  for (const field of Object.keys(change)) delete fieldErrors[field]
  return { ...state, customer: { ...state.customer, ...change }, fieldErrors }
}

/** Codes are upper-cased as they are typed; another code has to be checked again. */
export function typeCoupon(state: WizardState, code: string): WizardState {
  return { ...state, coupon: { ...NO_COUPON, code: code.toUpperCase() }, offered: null, confirmed: null }
}

export function couponChecked(state: WizardState, coupon: Omit<Coupon, 'code'>): WizardState {
  return { ...state, coupon: { ...coupon, code: state.coupon.code }, offered: null, confirmed: null }
}

/** The user accepts the server's figures. */
export function confirmFigures(state: WizardState): WizardState {
  return { ...state, confirmed: state.offered?.now ?? state.confirmed, offered: null, error: null }
}

/** The order as it is sent, under the key of the same order before, or under a new one. */
export function withAttempt(state: WizardState, content: string, newKey: string): WizardState {
  if (state.attempt?.content === content) return state
  return { ...state, attempt: { key: newKey, content } }
}

/** The server would accept other figures: the user decides. */
export function figuresOffered(state: WizardState, offered: Offer): WizardState {
  return { ...state, offered, attempt: null }
}

/** The server's sentences about the details. */
export function withFieldErrors(state: WizardState, fieldErrors: Record<string, string>): WizardState {
  return { ...state, fieldErrors }
}

/** A definite rejection: the next attempt is another order. */
export function attemptRejected(state: WizardState): WizardState {
  return { ...state, attempt: null }
}

export function orderPlaced(state: WizardState, outcome: OrderResult): WizardState {
  return { ...goTo(state, 'complete'), outcome, attempt: null }
}
