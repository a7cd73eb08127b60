import { Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import { ENTRIES_MAX, TOO_MANY } from './amounts.ts'

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
export type ImageDetail = Static<typeof ImageDetail>
export type ProductDetail = Static<typeof ProductDetail>
