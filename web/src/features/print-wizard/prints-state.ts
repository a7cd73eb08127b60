import type { PrintProduct } from '../../api/print-orders.ts'
import { unchecked } from './coupon-state.ts'
import { printSizeOf } from './crop.ts'
import type { Print, WizardState } from './wizard-types.ts'

export const MAX_QUANTITY = 999
export const DEFAULT_SIZE = '4x6'

/** 1 to 999; 1 for anything that is no number. */
export function clampQuantity(value: string | number): number {
  const number = Math.trunc(Number(value))
  return Number.isFinite(number) ? Math.min(Math.max(1, number), MAX_QUANTITY) : 1
}

/** Another order: what was checked for the previous one no longer holds. */
function withPrints(state: WizardState, prints: Print[]): WizardState {
  return { ...state, prints, coupon: unchecked(state.coupon.code), offered: null, confirmed: null }
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
