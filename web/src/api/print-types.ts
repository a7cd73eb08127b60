/** A part of the upright picture, in fractions of its width and height. */
export interface Crop {
  x: number
  y: number
  width: number
  height: number
}

/** An image to prepare: with a product the file for its print, without one a proof for the screen. */
export interface PrintImageRequest {
  photoId: number
  productId?: string
  crop?: Crop
}

/** The state of an image that is prepared for printing; absent values are null. */
export interface PrintImage {
  photoId: number
  productId: string | null
  status: 'ready' | 'rendering' | 'failed'
  message: string | null
  url: string | null
  width: number | null
  height: number | null
  /** The upright pixels of the photo that a print can use. */
  sourceWidth: number | null
  sourceHeight: number | null
  expiresAt: string | null
}

/** An image that was uploaded for printing. */
export interface UploadedPrintImage {
  filename: string
  url: string
  expiresAt: string
  width: number
  height: number
}

/** A print size that the partner sells; the partner's values are strings. */
export interface PrintProduct {
  productId: string
  productDesc: string | null
  productSize: string | null
  productPrice: string
  resWidth?: string | null
  resHeight?: string | null
  dpi?: string | null
}

/** A store that prints photos. */
export interface PrintStore {
  storeNum: string
  storeName: string | null
  street: string | null
  city: string | null
  state: string | null
  zip: string | null
  phone: string | null
  distance: string | null
  promiseTime: string | null
  openTime: string | null
  closeTime: string | null
  timeZone?: string | null
  latitude?: string | null
  longitude?: string | null
  /** The partner's tax figure; it is not part of the total. */
  tax?: string | null
}

/** What the partner says about a coupon; `err` is empty for a valid one. */
export interface CouponAnswer {
  status?: string | null
  err?: string | null
  errDesc?: string | null
  orderDiscountPrice?: string | null
}

/** An image of an order: an uploaded one, or the user's own photo with the part that is printed. */
export type OrderedImage = { url: string; qty: number } | { photoId: number; crop?: Crop; qty: number }

export interface OrderRequest {
  storeNum: string
  promiseTime: string
  firstName: string
  lastName: string
  phone: string
  email: string
  productDetails: { productId: string; productPrice: string; imageDetails: OrderedImage[] }[]
  orderTotal: string
  subtotal: string
  couponCode?: string
  termsAccepted: boolean
}

/** The figures of an order; amounts have two decimals. */
export interface OrderFigures {
  subtotalAmount: string
  discountAmount: string
  totalAmount: string
  promiseTime: string | null
}

/** What became of a submitted order. Without an order number its outcome is `unknown`. */
export interface OrderResult extends Partial<OrderFigures> {
  orderId?: number | string | null
  vendorOrderId?: string | null
  orderStatus: string
  message?: string
}

/** The customer details that the user asked to remember. */
export interface PrintCustomer {
  firstName: string
  lastName: string
  email: string
  phone: string
}
