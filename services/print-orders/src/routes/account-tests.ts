import { type App, badRequest, type Logger, recordAudit, requireRecentPassword, requireUser } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { testCredentials } from '../account-tests/credentials-test.ts'
import { placeTestOrder, type TestOrderRequest } from '../account-tests/test-order.ts'
import { normalizeCoupon, toResult } from '../catalog/coupon.ts'
import type { Database } from '../database.ts'
import { readEnvironment } from '../environment/environment.ts'
import type { Partner } from '../partner/partner.ts'
import { unwrap } from '../partner/problem.ts'
import { READ_MS, toItems, toPosition } from './catalog.ts'
import { couponSchema, credentialsTestSchema, productsSchema, testOrderSchema } from './catalog-schemas.ts'

export interface AccountTestRouteDeps {
  db: Database
  partner: Partner
  logger: Logger
  /** Address of an image of the web application that the partner can reach. */
  testImageUrl: string
  /** Publishes the events of a commit. */
  onCommit(): void
}

/** Tests of the partner's API by administrators. Nothing here is cached, and no key or token is returned. */
export function accountTestRoutes(app: App, routeDeps: AccountTestRouteDeps): void {
  const { db, partner, logger, testImageUrl, onCommit } = routeDeps
  app.post(
    '/api/walgreens/v3/fetch-credentials',
    { config: { access: 'admin' }, schema: credentialsTestSchema },
    async () => testCredentials(partner, await readEnvironment(db), READ_MS),
  )

  app.post(
    '/api/walgreens/product-details',
    { config: { access: 'admin' }, schema: { ...productsSchema, summary: 'Lists the products without the cache' } },
    async ({ body: { productGroupId: groupId } }) => {
      const options = { withinMs: READ_MS, ...(groupId && { groupId }) }
      return { products: unwrap(await partner.products(await readEnvironment(db), options)) }
    },
  )

  app.post(
    '/api/walgreens/validate-coupon-official',
    { config: { access: 'admin' }, schema: { ...couponSchema, summary: 'Tests a coupon without the cache' } },
    async ({ body: { couponCode, productDetails } }) => {
      const request = { couponCode: normalizeCoupon(couponCode), items: toItems(productDetails) }
      return toResult(await partner.coupon(await readEnvironment(db), request, { withinMs: READ_MS }))
    },
  )

  app.post(
    '/api/walgreens/submit-order-official',
    { config: { access: 'admin' }, schema: testOrderSchema },
    async (request) => {
      requireRecentPassword(request.identity)
      const { body } = request
      const deps = { partner, imageUrl: testImageUrl, logger }
      const order = await placeTestOrder(deps, await readEnvironment(db), toRequest(body ?? {}), READ_MS)
      const entry = {
        actorId: requireUser(request).userId,
        action: 'test-order.placed',
        detail: order.environment,
      } as const
      await db.$transaction((tx) => recordAudit(tx, events.ordersAuditRecorded, entry))
      onCommit()
      return order
    },
  )
}

function toRequest({ latitude, longitude, productId }: TestOrderRequest): TestOrderRequest {
  if ((latitude === undefined) !== (longitude === undefined)) {
    throw badRequest('A position has a latitude and a longitude.')
  }
  const position = latitude !== undefined && longitude !== undefined ? toPosition({ latitude, longitude }) : {}
  return { ...position, ...(productId !== undefined && { productId }) }
}
