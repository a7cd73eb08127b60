import type {
  Crop,
  OrderFigures,
  OrderResult,
  PrintCustomer,
  PrintProduct,
  PrintStore,
} from '../../api/print-orders.ts'

export const STEPS = ['upload', 'products', 'stores', 'order', 'complete'] as const
export type Step = (typeof STEPS)[number]

/** A picture that is ready for printing. */
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
  /** Why it cannot be printed. */
  failure: string | null
}

/** A number of prints of one photo in one size. */
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

export interface StoreSearch {
  text: string
  position: { latitude: string; longitude: string } | null
  /** The name of the place. */
  place: string | null
  stores: PrintStore[] | null
  /** The prints that the stores were asked about. */
  prints: string
}

export interface Coupon {
  code: string
  status: 'unchecked' | 'valid' | 'invalid'
  message: string | null
  discountCents: number
}

/** What changed at the partner since the user saw the order. */
export interface Offer {
  before: OrderFigures
  now: OrderFigures
}

export interface WizardState {
  userId: number
  /** From the opening of the wizard to its end, reloads included. */
  session: string
  /** The prints are those of an earlier order. */
  isRepeated: boolean
  step: Step
  photos: WizardPhoto[]
  prints: Print[]
  /** The size and the quantity that are chosen for all photos. */
  choice: { productId: string | null; quantity: number }
  products: PrintProduct[] | null
  search: StoreSearch
  storeNum: string | null
  customer: PrintCustomer
  remember: boolean
  coupon: Coupon
  termsAccepted: boolean
  /** Figures that the server would accept, until the user confirms them. */
  offered: Offer | null
  /** The figures that the user confirmed; they replace the computed ones. */
  confirmed: OrderFigures | null
  /** The banner of the dialog. */
  error: string | null
  /** What is wrong with the customer's details, by field. */
  fieldErrors: Record<string, string>
  /** The banner links to the orders. */
  linksToOrders: boolean
  /** What the user should know, in the banner. */
  notice: string | null
  outcome: OrderResult | null
  outcomeNote: string | null
}
