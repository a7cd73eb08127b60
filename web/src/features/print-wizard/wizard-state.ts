import type {
  Crop,
  CurrentFigures,
  OrderFigures,
  OrderResult,
  PrintCustomer,
  PrintProduct,
  PrintStore,
} from '../../api/print-orders.ts'
import type { Photo } from '../../api/types.ts'
import type { PrintItem, PrintRequest } from '../../photos/printing.ts'
import { printSizeOf } from './crop.ts'

export type Step = 'upload' | 'products' | 'stores' | 'order' | 'complete'

export interface Picture {
  /** Its address in this origin. */
  src: string
  /** What an order names when the photo is not the user's own. */
  uploadedUrl: string | null
  /** As the browser decoded it. */
  width: number
  height: number
  /** The upright pixels that a print can use. */
  sourceWidth: number
  sourceHeight: number
}

export interface WizardPhoto {
  id: number
  title: string
  /** The photo is the user's own: an administrator also sees others'. */
  own: boolean
  /** Its narrowest picture. */
  thumbnailUrl: string | null
  /** A JPEG or PNG of it. */
  fileUrl: string
  picture: Picture | null
  /** How its print differs from the file. */
  warning: string | null
  /** Why it cannot be printed. */
  failure: string | null
}

export interface Print {
  key: number
  photoId: number
  productId: string | null
  quantity: number
  /** Null: the largest part in the middle. */
  crop: Crop | null
  /** Chosen for this print alone: a choice for all photos does not change it. */
  custom: boolean
}

interface StoreSearch {
  text: string
  position: { latitude: string; longitude: string } | null
  place: string | null
  stores: PrintStore[] | null
  /** The prints that the stores were asked about. */
  prints: string
}

export interface Coupon {
  code: string
  /** `refused`: the submit was refused because of it. Only then is the code left out of the order. */
  status: 'unchecked' | 'valid' | 'invalid' | 'refused'
  message: string | null
  discountCents: number
}

/** What changed at the partner since the user saw the order. */
export interface Offer {
  before: OrderFigures
  now: CurrentFigures
}

export interface WizardState {
  userId: number
  /** From the opening of the wizard to its end, reloads included. */
  session: string
  /** The prints are those of an earlier order. */
  isRepeated: boolean
  step: Step
  /** What the wizard was opened with, until its photos are read. */
  wanted: PrintRequest | null
  photos: WizardPhoto[]
  prints: Print[]
  /** The size and the quantity that are chosen for all photos. */
  choice: { productId: string | null; quantity: number }
  products: PrintProduct[] | null
  search: StoreSearch
  storeNum: string | null
  /** The store that the user chose last, as it is now; null where it does not have these prints. */
  lastStore: { store: PrintStore; prints: string } | null
  customer: PrintCustomer
  remember: boolean
  coupon: Coupon
  termsAccepted: boolean
  /** Figures that the server would accept, until the user confirms them. */
  offered: Offer | null
  /** The figures that the user confirmed; they replace the computed ones. */
  confirmed: OrderFigures | null
  /** The banner of the dialog: what went wrong, or what else the user should know, and whether it links to the orders. */
  error: string | null
  notice: string | null
  linksToOrders: boolean
  /** What the server says is wrong with the customer's details, by field. */
  fieldErrors: Record<string, string>
  outcome: OrderResult | null
  /** How the placed order differs from what the wizard showed. */
  outcomeNote: string | null
}

const NO_BANNER = { error: null, notice: null, linksToOrders: false }
/** Of an order that has changed, no figures are offered or confirmed. */
const NO_FIGURES = { offered: null, confirmed: null }

/** The wizard's first state: one print of each photo, or the prints of an earlier order. */
export function startWizard(userId: number, photos: readonly Photo[], items: readonly PrintItem[] = []): WizardState {
  const prints = photos.flatMap((photo) => printsOf(photo.id, items)).map((print, key) => ({ ...print, key: key + 1 }))
  return {
    userId,
    session: randomKey(),
    isRepeated: items.length > 0,
    step: 'upload',
    wanted: null,
    photos: photos.map((photo) => toWizardPhoto(photo, userId)),
    prints,
    choice: { productId: prints[0]?.productId ?? null, quantity: prints[0]?.quantity ?? 1 },
    products: null,
    search: { text: '', position: null, place: null, stores: null, prints: '' },
    storeNum: null,
    lastStore: null,
    customer: { firstName: '', lastName: '', email: '', phone: '' },
    remember: false,
    coupon: unchecked(''),
    termsAccepted: false,
    fieldErrors: {},
    outcome: null,
    outcomeNote: null,
    ...NO_FIGURES,
    ...NO_BANNER,
  }
}

/** The first state for a request, of which photos may still have to be read. */
export function openWizard(userId: number, wanted: PrintRequest): WizardState {
  const { photoIds, photos = [] } = wanted
  const isRead = photoIds.every((wantedId) => photos.some(({ id }) => id === wantedId))
  const state = { ...startWizard(userId, []), wanted }
  return isRead ? photosLoaded(state, photos) : state
}

export function photosLoaded({ userId, wanted }: WizardState, photos: readonly Photo[]): WizardState {
  const state = startWizard(userId, photos, wanted?.items)
  return photos.length > 0 ? state : { ...state, error: 'No image selected' }
}

function printsOf(photoId: number, items: readonly PrintItem[]): Omit<Print, 'key'>[] {
  const ordered = items.filter((item) => item.photoId === photoId)
  if (ordered.length === 0) return [{ photoId, productId: null, quantity: 1, crop: null, custom: false }]
  const fixed = { photoId, crop: null, custom: true }
  return ordered.map(({ productId, quantity }) => ({ ...fixed, productId, quantity: clampQuantity(quantity) }))
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
    warning: photo.status === 'ready' ? photo.statusMessage : null,
    failure: null,
  }
}

/** 128 random bits. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Where Back leads to; null where there is no way back. */
export function stepBefore(step: Step): Step | null {
  const before = { upload: null, products: 'upload', stores: 'products', order: 'stores', complete: null } as const
  return before[step]
}

/** Goes to a step; the banner belongs to the step before. */
export function goTo(state: WizardState, step: Step): WizardState {
  return { ...state, ...NO_BANNER, step, offered: null }
}

/** Changes what nothing else depends on. */
export function edit(state: WizardState, change: Partial<WizardState>): WizardState {
  return { ...state, ...change }
}

export function withError(state: WizardState, error: string | null, linksToOrders = false): WizardState {
  return { ...state, error, notice: null, linksToOrders }
}

/** Says in the banner what is no error. */
export function withNotice(state: WizardState, notice: string, linksToOrders = false): WizardState {
  return { ...state, notice, error: null, linksToOrders }
}

export function changePhoto(state: WizardState, id: number, change: Partial<WizardPhoto>): WizardState {
  return { ...state, photos: state.photos.map((photo) => (photo.id === id ? { ...photo, ...change } : photo)) }
}

export function removePhoto(state: WizardState, id: number): WizardState {
  const prints = state.prints.filter(({ photoId }) => photoId !== id)
  return withPrints({ ...state, photos: state.photos.filter((photo) => photo.id !== id) }, prints)
}

export const MAX_QUANTITY = 999

/** 1 to 999; 1 for anything that is no number. */
export function clampQuantity(value: string | number): number {
  const number = Math.trunc(Number(value))
  return Number.isFinite(number) ? Math.min(Math.max(1, number), MAX_QUANTITY) : 1
}

/** Another order: what was checked for the previous one no longer holds. */
function withPrints(state: WizardState, prints: Print[]): WizardState {
  return { ...state, ...NO_FIGURES, prints, coupon: unchecked(state.coupon.code) }
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
export function chooseForAll(state: WizardState, choice: Partial<WizardState['choice']>): WizardState {
  const isFirst = (print: Print) => state.prints.find(({ photoId }) => photoId === print.photoId) === print
  const prints = state.prints.map((print) => (isFirst(print) && !print.custom ? changed(state, print, choice) : print))
  return withPrints({ ...state, choice: { ...state.choice, ...choice } }, prints)
}

export function changePrint(state: WizardState, key: number, change: Partial<Print>): WizardState {
  const own = 'productId' in change || 'quantity' in change
  const prints = state.prints.map((print) =>
    print.key === key ? changed(state, print, { ...change, custom: print.custom || own }) : print,
  )
  return withPrints(state, prints)
}

/** A crop is kept only for a print with the same proportions. */
function changed(state: WizardState, print: Print, change: Partial<Print>): Print {
  const next = { ...print, ...change }
  const proportions = ({ productId }: Print) => {
    const product = state.products?.find((product) => product.productId === productId)
    const size = product && printSizeOf(product)
    return size && (size.long / size.short).toFixed(3)
  }
  if (next.productId === print.productId || proportions(next) === proportions(print)) return next
  return { ...next, crop: null }
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
  const prints = state.prints.filter((print) => print.key !== key)
  return withPrints(state, prints)
}

/** The user's last store, wherever it is, and then those of the search, nearest first. */
export function storesToChoose({ search, lastStore }: Pick<WizardState, 'search' | 'lastStore'>): PrintStore[] {
  const found = search.stores ?? []
  if (!lastStore) return found
  const { store } = lastStore
  const others = found.filter(({ storeNum }) => storeNum !== store.storeNum)
  return [found.find((one) => !others.includes(one)) ?? store, ...others]
}

/** The chosen one stays chosen while it is among those to choose from. */
export function storesFound(state: WizardState, found: Omit<StoreSearch, 'text'>): WizardState {
  const search = { ...found, text: state.search.text }
  const stays = storesToChoose({ ...state, search }).some(({ storeNum }) => storeNum === state.storeNum)
  return { ...state, search, storeNum: stays ? state.storeNum : null, confirmed: null, error: null }
}

export function lastStoreFound(state: WizardState, lastStore: WizardState['lastStore']): WizardState {
  return { ...state, lastStore, confirmed: null }
}

export function chooseStore(state: WizardState, storeNum: string): WizardState {
  return { ...state, ...NO_FIGURES, storeNum }
}

export function prefillCustomer(
  state: WizardState,
  known: Partial<Record<keyof PrintCustomer, string | null>>,
): WizardState {
  const customer = { ...state.customer }
  for (const field of ['firstName', 'lastName', 'email', 'phone'] as const) customer[field] ||= known[field] ?? ''
  return { ...state, customer }
}

export function changeCustomer(state: WizardState, change: Partial<PrintCustomer>): WizardState {
  const fieldErrors = { ...state.fieldErrors }
  for (const field of Object.keys(change)) delete fieldErrors[field]
  return { ...state, customer: { ...state.customer, ...change }, fieldErrors }
}

/** A code that the partner has not been asked about. */
function unchecked(code: string): Coupon {
  return { code, status: 'unchecked', message: null, discountCents: 0 }
}

/** Codes are upper-cased as they are typed; another code has to be checked again. */
export function typeCoupon(state: WizardState, code: string): WizardState {
  return { ...state, ...NO_FIGURES, coupon: unchecked(code.toUpperCase()) }
}

export function couponChecked(state: WizardState, coupon: Omit<Coupon, 'code'>): WizardState {
  return { ...state, ...NO_FIGURES, coupon: { ...coupon, code: state.coupon.code } }
}

/** True while a code was typed that the partner has not been asked about for these prints. */
export function mustCheckCoupon({ coupon }: WizardState): boolean {
  return coupon.status === 'unchecked' && coupon.code.trim() !== ''
}

/** The server would accept other figures: the user decides. What was confirmed before no longer holds. */
export function figuresOffered(state: WizardState, offered: Offer): WizardState {
  const { couponMessage } = offered.now
  const { code } = state.coupon
  const coupon: Coupon = couponMessage
    ? { code, status: 'refused', message: couponMessage, discountCents: 0 }
    : state.coupon
  return { ...state, offered, coupon, confirmed: null }
}

export function confirmFigures(state: WizardState): WizardState {
  return { ...state, confirmed: state.offered?.now ?? state.confirmed, offered: null, error: null }
}
