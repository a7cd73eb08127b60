import {
  type App,
  badRequest,
  errorResponses,
  type Logger,
  recordAudit,
  requireRecentPassword,
  requireUser,
} from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { Type } from 'typebox'
import { normalizeCoupon, toResult } from '../catalog/coupon.ts'
import type { Database } from '../database.ts'
import { describeEnvironment, readEnvironment, switchEnvironment } from '../environment.ts'
import { placeTestOrder, type TestOrderRequest, testCredentials } from '../partner/account-tests.ts'
import type { Partner } from '../partner/partner.ts'
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

export interface EnvironmentRouteDeps {
  db: Database
  partner: Partner
  logger: Logger
  /** Publishes the events of a commit. */
  onCommit(): void
}

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

/** The partner's environment, which administrators choose. */
export function environmentRoutes(app: App, deps: EnvironmentRouteDeps): void {
  const { db, partner } = deps

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
}

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
