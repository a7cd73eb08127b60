import type { PrintCustomer } from '../../api/print-orders.ts'
import type { Photo } from '../../api/types.ts'
import type { PrintItem } from '../../photos/open-print-wizard.ts'
import { unchecked } from './coupon-state.ts'
import { clampQuantity } from './prints-state.ts'
import { randomKey } from './random-key.ts'
import {
  type Picture,
  type Print,
  STEPS,
  type Step,
  type StoreSearch,
  type WizardPhoto,
  type WizardState,
} from './wizard-types.ts'

const NO_SEARCH: StoreSearch = { text: '', position: null, place: null, stores: null, prints: '' }

/** The wizard's first state: one print of each photo, or the prints of an earlier order. */
export function startWizard(userId: number, photos: readonly Photo[], items: readonly PrintItem[] = []): WizardState {
  const prints = photos.flatMap((photo) => printsOf(photo.id, items)).map((print, key) => ({ ...print, key: key + 1 }))
  return {
    userId,
    session: randomKey(),
    isRepeated: items.length > 0,
    step: 'upload',
    photos: photos.map((photo) => toWizardPhoto(photo, userId)),
    prints,
    choice: { productId: prints[0]?.productId ?? null, quantity: prints[0]?.quantity ?? 1 },
    products: null,
    search: NO_SEARCH,
    storeNum: null,
    customer: { firstName: '', lastName: '', email: '', phone: '' },
    remember: false,
    coupon: unchecked(''),
    termsAccepted: false,
    offered: null,
    confirmed: null,
    error: null,
    linksToOrders: false,
    fieldErrors: {},
    notice: null,
    outcome: null,
    outcomeNote: null,
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
    thumbnailUrl: photo.smallUrl ?? photo.thumbnailUrl,
    fileUrl: printable ? photo.url : (photo.previewUrl ?? photo.url),
    picture: null,
    failure: null,
  }
}

/** Goes to a step; the banner belongs to the step before. */
export function goTo(state: WizardState, step: Step): WizardState {
  return { ...state, step, error: null, linksToOrders: false, notice: null, offered: null }
}

/** The step before, null where there is no way back. */
export function stepBefore(step: Step): Step | null {
  if (step === 'upload' || step === 'complete') return null
  return STEPS[STEPS.indexOf(step) - 1] ?? null
}

export function withError(state: WizardState, error: string | null, linksToOrders = false): WizardState {
  return { ...state, error, notice: null, linksToOrders }
}

/** Says in the banner what is no error. */
export function withNotice(state: WizardState, notice: string, linksToOrders = false): WizardState {
  return { ...state, notice, error: null, linksToOrders }
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
