import { badRequest, invalidFields, Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import { normalizeCoupon } from '../catalog/coupon.ts'
import { type Customer, readCustomer } from '../customers/customer.ts'
import { parseCents } from '../money.ts'
import type { ProductQuantity } from '../partner/types.ts'
import { filenameIn, type ImageOrigins } from './image-urls.ts'

export const QUANTITY_MAX = 999
/** Prints in one entry of `imageDetails`. */
export const PRINTS_PER_ENTRY = 20
/** Entries of `imageDetails` in an order. */
export const ENTRIES_MAX = 200
export const TOO_MANY = `An order can have at most ${ENTRIES_MAX} images; more than 20 prints of an image count as several. Please split it into smaller orders.`

// Presence and content are checked in submit-request.ts, which names all problems at once: blank counts as missing.

const text = (maxLength: number, description?: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, ...(description && { description }) })))
/** A number, or a text with one. */
const Figure = Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 20 }), Type.Null()]))
const ENTRIES = { maxItems: ENTRIES_MAX, 'x-message': TOO_MANY }
const exact = { additionalProperties: false }

export const Crop = Type.Object(
  {
    x: Type.Number({ minimum: 0, maximum: 1 }),
    y: Type.Number({ minimum: 0, maximum: 1 }),
    width: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    height: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
  },
  { ...exact, description: 'Fractions of the upright image' },
)

const ImageDetail = Type.Object(
  {
    url: text(500, 'From upload-image; or `photoId`'),
    photoId: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), Type.Null()])),
    crop: Type.Optional(Nullable(Crop)),
    qty: Figure,
  },
  exact,
)

const ProductDetail = Type.Object(
  {
    productId: Type.Optional(Type.Union([Type.String({ maxLength: 50 }), Type.Integer(), Type.Null()])),
    productPrice: Figure,
    imageDetails: Type.Optional(Type.Array(ImageDetail, ENTRIES)),
  },
  exact,
)

export const SubmitBody = Type.Object(
  {
    storeNum: Type.Optional(Type.Union([Type.String({ maxLength: 20 }), Type.Integer(), Type.Null()])),
    promiseTime: text(
      60,
      'As shown to the customer; a text without digits, such as `Same Day`, stands for the fresh one',
    ),
    firstName: text(200),
    lastName: text(200),
    phone: text(60),
    email: text(300),
    productDetails: Type.Optional(Type.Array(ProductDetail, ENTRIES)),
    orderTotal: Figure,
    subtotal: Figure,
    couponCode: Type.Optional(
      Nullable(Type.String({ pattern: '^[ -~]*$', maxLength: 100, 'x-message': 'Invalid coupon code' })),
    ),
    termsAccepted: Type.Optional(Nullable(Type.Boolean())),
    act: text(100),
    appVer: text(100),
    devInf: text(100),
    productGroupId: text(100),
  },
  { ...exact, description: 'Required: all but couponCode, act, appVer, devInf and productGroupId' },
)

export type SubmitBody = Static<typeof SubmitBody>
type ImageDetail = Static<typeof ImageDetail>
type ProductDetail = Static<typeof ProductDetail>

/** Part of an upright image, in fractions. */
export interface Crop {
  x: number
  y: number
  width: number
  height: number
}

/** An uploaded image, or a photo of the user. */
export type RequestedImage = { filename: string } | { photoId: number; crop: Crop | null }

export interface RequestedLine {
  productId: string
  /** As shown to the customer. */
  priceCents: number
  quantity: number
  image: RequestedImage
  /** Name of the image's field in the request, for errors. */
  field: string
}

/** A valid request for an order, as the customer saw it. */
export interface OrderRequest {
  storeNumber: string
  promiseTime: string
  customer: Customer
  lines: RequestedLine[]
  couponCode: string | null
  subtotalCents: number
  totalCents: number
}

const REQUIRED = 'This field is required.'
const TERMS = 'Please accept the Terms of Use and Privacy Policy to continue with your order.'
const NO_STORE = 'Please choose a store.'
const NO_PRINTS = 'Please choose at least one print.'
const ONE_IMAGE = 'Please name either the URL of an uploaded image or a photo.'
const FOREIGN_URL = 'This image was not uploaded here. Please upload it again.'

type Fields = Record<string, string>

/** Reads the body of a submit. @throws AppError 400 that names all fields that are missing or not valid */
export function readOrderRequest(body: SubmitBody, origins: ImageOrigins): OrderRequest {
  const entries = (body.productDetails ?? []).reduce(
    (sum, { imageDetails }) => sum + Math.max(1, imageDetails?.length ?? 0),
    0,
  )
  if (entries > ENTRIES_MAX) throw badRequest(TOO_MANY)
  const fields: Fields = {}
  const request = {
    storeNumber: readStoreNumber(body.storeNum, fields),
    promiseTime: readText(body.promiseTime, 'promiseTime', fields),
    customer: readCustomer(body, fields),
    lines: readLines(body.productDetails ?? [], fields, origins),
    couponCode: normalizeCoupon(body.couponCode ?? '') || null,
    subtotalCents: readAmount(body.subtotal, 'subtotal', fields),
    totalCents: readAmount(body.orderTotal, 'orderTotal', fields),
  }
  if (request.lines.length === 0 && !hasFieldsBelow(fields, 'productDetails')) fields.productDetails = NO_PRINTS
  if (body.termsAccepted !== true) fields.termsAccepted = TERMS
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  if (countEntries(request.lines.map(({ quantity }) => quantity)) > ENTRIES_MAX) throw badRequest(TOO_MANY)
  return request
}

/** The prints of each product, as the partner wants them in its reads: each product once. */
export function quantitiesOf({ lines }: OrderRequest): ProductQuantity[] {
  const products = Map.groupBy(lines, ({ productId }) => productId)
  return [...products].map(([productId, same]) => {
    return { productId, quantity: same.reduce((sum, { quantity }) => sum + quantity, 0) }
  })
}

function hasFieldsBelow(fields: Fields, name: string): boolean {
  return Object.keys(fields).some((field) => field.startsWith(name))
}

function readText(value: string | number | null | undefined, field: string, fields: Fields): string {
  const text = String(value ?? '').trim()
  if (text === '') fields[field] = REQUIRED
  return text
}

function readStoreNumber(value: string | number | null | undefined, fields: Fields): string {
  const number = readText(value, 'storeNum', fields)
  if (!/^\d*$/.test(number)) fields.storeNum = NO_STORE
  return number
}

function readAmount(value: string | number | null | undefined, field: string, fields: Fields): number {
  if (isBlank(value)) fields[field] = REQUIRED
  const cents = parseCents(value)
  if (cents === null) fields[field] ??= 'Please enter an amount such as 12.50.'
  return cents ?? 0
}

function readQuantity(value: string | number | null | undefined, field: string, fields: Fields): number {
  if (isBlank(value)) fields[field] = REQUIRED
  const quantity = typeof value === 'string' && !/^\s*\d+\s*$/.test(value) ? Number.NaN : Number(value)
  const isValid = Number.isInteger(quantity) && quantity >= 1 && quantity <= QUANTITY_MAX
  if (!isValid) fields[field] ??= `Please enter a whole number from 1 to ${QUANTITY_MAX}.`
  return isValid ? quantity : 1
}

function isBlank(value: string | number | null | undefined): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
}

function readLines(products: ProductDetail[], fields: Fields, origins: ImageOrigins): RequestedLine[] {
  const lines = products.flatMap((product, index) => {
    const field = `productDetails.${index}`
    const productId = readText(product.productId, `${field}.productId`, fields)
    const priceCents = readAmount(product.productPrice, `${field}.productPrice`, fields)
    const images = product.imageDetails ?? []
    if (images.length === 0) fields[`${field}.imageDetails`] = NO_PRINTS
    return images.map((image, place): RequestedLine => {
      const name = `${field}.imageDetails.${place}`
      const quantity = readQuantity(image.qty, `${name}.qty`, fields)
      return { productId, priceCents, quantity, ...readImage(image, name, fields, origins) }
    })
  })
  return lines
}

function readImage(
  { url, photoId, crop }: ImageDetail,
  name: string,
  fields: Fields,
  origins: ImageOrigins,
): Pick<RequestedLine, 'image' | 'field'> {
  const address = url?.trim() ?? ''
  if (typeof photoId === 'number') {
    if (address !== '') fields[`${name}.url`] = ONE_IMAGE
    return { image: { photoId, crop: readCrop(crop ?? null, `${name}.crop`, fields) }, field: `${name}.photoId` }
  }
  const filename = filenameIn(address, origins)
  if (address === '') fields[`${name}.url`] = REQUIRED
  else if (filename === null) fields[`${name}.url`] = FOREIGN_URL
  if (crop) fields[`${name}.crop`] = 'Only photos can be cropped.'
  return { image: { filename: filename ?? '' }, field: `${name}.url` }
}

/** Differences of rounding beyond the edge of the image are cut off. */
function readCrop(crop: Crop | null, field: string, fields: Fields): Crop | null {
  if (!crop) return null
  const { x, y, width, height } = crop
  if (x + width > 1.000001 || y + height > 1.000001) fields[field] = 'The crop is not inside the photo.'
  return { x, y, width: Math.min(width, 1 - x), height: Math.min(height, 1 - y) }
}

/** Entries of `imageDetails` that these quantities need. */
export function countEntries(quantities: number[]): number {
  return quantities.reduce((sum, quantity) => sum + Math.ceil(quantity / PRINTS_PER_ENTRY), 0)
}
