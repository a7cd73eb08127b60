import { type App, invalidFields, requireUser } from '@skyfolio/kit'
import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { CouponLimits } from '../catalog/coupon.ts'
import { checkCoupon, normalizeCoupon } from '../catalog/coupon.ts'
import type { FiguresDeps } from '../catalog/fresh-figures.ts'
import { searchStores } from '../catalog/stores.ts'
import { readEnvironment } from '../environment/environment.ts'
import type { ProductQuantity } from '../partner/types.ts'
import { couponSchema, productsSchema, storeSearchSchema } from './catalog-schemas.ts'

/** Less than the 10 seconds in which the browser expects a response. */
export const READ_MS = 9_000

export interface CatalogRouteDeps extends FiguresDeps {
  limits: CouponLimits & { searches: RateLimit }
}

/** What the wizard reads of the partner before an order. */
export function catalogRoutes(app: App, deps: CatalogRouteDeps): void {
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
