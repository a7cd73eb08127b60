import { type App, badRequest, errorResponses, recordAudit, requireRecentPassword, requireUser } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { Type } from 'typebox'
import { normalizeCoupon, toResult } from '../catalog/coupon.ts'
import type { PrintOrdersDeps } from '../deps.ts'
import { describeEnvironment, readEnvironment, switchEnvironment } from '../environment.ts'
import { placeTestOrder, type TestOrderRequest, testCredentials } from '../partner/account-tests.ts'
import { unwrap } from '../partner/problem.ts'
import {
  couponSchema,
  credentialsTestSchema,
  productsSchema,
  READ_MS,
  testOrderSchema,
  toItems,
  toPosition,
} from './catalog.ts'

const EnvironmentName = Type.Union([Type.Literal('sandbox'), Type.Literal('production')], {
  'x-message': "The environment is 'sandbox' or 'production'.",
})

const EnvironmentBody = Type.Object({
  environment: EnvironmentName,
  baseUrl: Type.String({ description: "Address of the partner's API; empty where none is configured" }),
})

const GET_ENVIRONMENT = {
  summary: "Returns the partner's environment",
  response: { 200: EnvironmentBody, ...errorResponses },
}

/**
 * The partner's environment, which administrators choose, and their tests of the partner's API, of which nothing is cached and
 * no key or token is returned.
 */
export function administrationRoutes(app: App, deps: PrintOrdersDeps): void {
  const { db, partner, logger, testImageUrl, onCommit } = deps

  app.get('/api/admin/environment', { config: { access: 'admin' }, schema: GET_ENVIRONMENT }, async () =>
    describeEnvironment(partner, await readEnvironment(db)),
  )

  app.post(
    '/api/admin/environment',
    {
      config: { access: 'admin' },
      schema: {
        summary: "Chooses the partner's environment for all further orders",
        body: Type.Object({ environment: EnvironmentName }, { additionalProperties: false }),
        response: { 200: EnvironmentBody, ...errorResponses },
      },
    },
    async (request) => {
      requireRecentPassword(request.identity)
      const { userId } = requireUser(request)
      return switchEnvironment(deps, { environment: request.body.environment, userId })
    },
  )

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
      const testDeps = { partner, imageUrl: testImageUrl, logger }
      const order = await placeTestOrder(testDeps, await readEnvironment(db), toRequest(request.body ?? {}), READ_MS)
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
