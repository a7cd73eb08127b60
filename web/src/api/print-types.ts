import type { paths as PrintOrdersPaths } from './generated/print-orders.d.ts'
import type { PrintEnvironment, ResponseBody } from './types.ts'

/** A part of the upright picture, in fractions of its width and height. */
export interface Crop {
  x: number
  y: number
  width: number
  height: number
}

type Calls = PrintOrdersPaths

/** An image to prepare: with a product the file for its print, without one a proof for the screen. */
export interface PrintImageRequest {
  photoId: number
  productId?: string
  crop?: Crop
}

/** The state of an image that is prepared for printing; absent values are null. */
export type PrintImage = ResponseBody<Calls['/api/walgreens/prepare-images']['post']>['images'][number]

/** An image that was uploaded for printing. */
export interface UploadedPrintImage {
  filename: string
  url: string
  expiresAt: string
  width: number
  height: number
}

type Product = ResponseBody<Calls['/api/walgreens/products']['post']>['products'][number]
/** A print size that the partner sells. */
export type PrintProduct = Pick<Product, 'productId' | 'productDesc' | 'productSize' | 'productPrice'> &
  Partial<Pick<Product, 'resWidth' | 'resHeight' | 'dpi'>>

type Store = ResponseBody<Calls['/api/walgreens/store-search']['post']>['photoStores'][number]['photoStoreDetails']
/** A store that prints photos. `tax` is the partner's figure for the prints; it is not part of the total. */
export type PrintStore = Omit<Store, 'distanceUnit' | 'type' | 'latitude' | 'longitude' | 'timeZone' | 'tax'> &
  Partial<Pick<Store, 'timeZone' | 'tax'>>

type Coupon = ResponseBody<Calls['/api/walgreens/validate-coupon']['post']>
/** What the partner says about a coupon; `err` is empty for a valid one. */
export type CouponAnswer = Pick<Coupon, 'err'> & Partial<Coupon>

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
  /** Where the order was sent. */
  environment?: PrintEnvironment
  message?: string
}

/** The customer details that the user asked to remember. */
export type PrintCustomer = NonNullable<ResponseBody<Calls['/api/walgreens/customer']['get']>['customer']>
