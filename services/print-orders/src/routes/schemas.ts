import { Type } from 'typebox'

/** Fields of the partner's API that the web application sends along; they have no effect. */
export const ignoredFields = {
  act: Type.Optional(Type.String({ maxLength: 64 })),
  appVer: Type.Optional(Type.String({ maxLength: 32 })),
  devInf: Type.Optional(Type.String({ maxLength: 128 })),
}

export const ProductId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', 'x-message': 'A product is required.' })

const QUANTITY = 'A quantity is a whole number from 1 to 999.'

/** A whole number from 1 to 999, which may be text. */
export const Quantity = Type.Union(
  [Type.Integer({ minimum: 1, maximum: 999 }), Type.String({ pattern: '^ *0*[1-9][0-9]{0,2} *$' })],
  { 'x-message': QUANTITY },
)

export const ProductDetails = Type.Array(
  Type.Object({ productId: ProductId, qty: Quantity }, { additionalProperties: false }),
  { minItems: 1, maxItems: 200, 'x-message': 'At least one product is required.' },
)

export const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
export const IdParams = Type.Object({ id: Id })
