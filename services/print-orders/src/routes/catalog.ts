import { type App, errorFieldResponses, invalidFields, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { checkCoupon, normalizeCoupon } from '../catalog/coupon.ts'
import { searchStores } from '../catalog/stores.ts'
import type { PrintOrdersDeps } from '../deps.ts'
import { readEnvironment } from '../environment.ts'
import { CouponBody, ProductBody, type ProductQuantity, StoreBody } from '../partner/types.ts'
import { ignoredFields, ProductDetails, ProductId } from './schemas.ts'

const ProductGroup = Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }))

const DEGREES = '^ *[+-]?[0-9]{1,3}([.][0-9]{1,20})? *$'
const Latitude = Type.String({ pattern: DEGREES, 'x-message': 'A latitude from -90 to 90 is required.' })
const Longitude = Type.String({ pattern: DEGREES, 'x-message': 'A longitude from -180 to 180 is required.' })

const CouponCode = Type.String({ pattern: '^[ -~]*[!-~][ -~]*$', maxLength: 64, 'x-message': 'Invalid coupon code' })

const exact = { additionalProperties: false }
const response = <Schema>(schema: Schema) => ({ 200: schema, ...errorFieldResponses })

export const productsSchema = {
  summary: 'Lists the sizes of prints and their prices',
  body: Type.Object({ productGroupId: ProductGroup, ...ignoredFields }, exact),
  response: response(Type.Object({ products: Type.Array(ProductBody) })),
}

const storeSearchSchema = {
  summary: 'Lists stores nearby that have the products, with the time of pickup',
  body: Type.Object(
    { latitude: Latitude, longitude: Longitude, productDetails: ProductDetails, ...ignoredFields },
    exact,
  ),
  response: response(Type.Object({ photoStores: Type.Array(Type.Object({ photoStoreDetails: StoreBody })) })),
}

export const couponSchema = {
  summary: 'Returns what a coupon takes off these prints',
  body: Type.Object({ couponCode: CouponCode, productDetails: ProductDetails, ...ignoredFields }, exact),
  response: response(CouponBody),
}

export const credentialsTestSchema = {
  summary: "Tests the credentials of the partner's API",
  body: Nullable(Type.Object({ ...ignoredFields }, exact)),
  response: response(
    Type.Object({
      accepted: Type.Boolean(),
      message: Type.String(),
      uploadLimit: Nullable(Type.Integer({ description: 'Images of one order' })),
    }),
  ),
}

export const testOrderSchema = {
  summary: 'Places a test order in the sandbox',
  body: Nullable(
    Type.Object(
      {
        latitude: Type.Optional(Latitude),
        longitude: Type.Optional(Longitude),
        productId: Type.Optional(ProductId),
        ...ignoredFields,
      },
      exact,
    ),
  ),
  response: response(Type.Object({ vendorOrderId: Type.String(), environment: Type.String(), message: Type.String() })),
}

/** Less than the 10 seconds in which the browser expects a response. */
export const READ_MS = 9_000

/** What the wizard reads of the partner before an order. */
export function catalogRoutes(app: App, deps: PrintOrdersDeps): void {
  const { db, catalog } = deps

  app.post('/api/walgreens/products', { config: { access: 'user' }, schema: productsSchema }, async () => ({
    products: await catalog.list(await readEnvironment(db), READ_MS),
  }))

  app.post(
    '/api/walgreens/store-search',
    { config: { access: 'user' }, schema: storeSearchSchema },
    async (request) => {
      const { userId } = requireUser(request)
      const search = { userId, ...toPosition(request.body), items: toItems(request.body.productDetails) }
      const stores = await searchStores(deps, await readEnvironment(db), search, READ_MS)
      return { photoStores: stores.map((photoStoreDetails) => ({ photoStoreDetails })) }
    },
  )

  app.post('/api/walgreens/validate-coupon', { config: { access: 'user' }, schema: couponSchema }, async (request) => {
    const { userId } = requireUser(request)
    const { couponCode, productDetails } = request.body
    const coupon = { userId, couponCode: normalizeCoupon(couponCode), items: toItems(productDetails) }
    return checkCoupon(deps, await readEnvironment(db), coupon, READ_MS)
  })
}

export function toItems(details: { productId: string; qty: number | string }[]): ProductQuantity[] {
  return details.map(({ productId, qty }) => ({ productId, quantity: Number(qty) }))
}

/** @throws AppError 400 */
export function toPosition(position: { latitude: string; longitude: string }): { latitude: string; longitude: string } {
  const latitude = position.latitude.trim()
  const longitude = position.longitude.trim()
  const fields = {
    ...(Math.abs(Number(latitude)) > 90 && { latitude: 'A latitude from -90 to 90 is required.' }),
    ...(Math.abs(Number(longitude)) > 180 && { longitude: 'A longitude from -180 to 180 is required.' }),
  }
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  return { latitude, longitude }
}
