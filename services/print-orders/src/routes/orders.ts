import { Readable } from 'node:stream'
import {
  type App,
  errorFieldResponses,
  invalidFields,
  Nullable,
  requireRecentPassword,
  requireUser,
} from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import type { PrintOrdersDeps } from '../deps.ts'
import { countOrders, eachOrder, listOrders, readOrder } from '../orders/list-orders.ts'
import { historyBody, OrderBody, OrderWithHistoryBody, orderBody } from '../orders/order-body.ts'
import { listUnresolved, resolveOrder } from '../orders/unresolved-orders.ts'
import { refreshOrders } from '../status/due-orders.ts'
import { IdParams } from './schemas.ts'

const exact = { additionalProperties: false }

const LIST_ORDERS = {
  summary: "Lists the user's orders, newest first",
  description:
    'In pages with a `Link` to the next one where the query has a `limit`. `X-Total-Count` is the number of all.',
  querystring: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Orders per page; all if absent' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
  }),
  response: { 200: Type.Array(OrderBody), ...errorFieldResponses },
}

const GET_ORDER = {
  summary: 'Returns an order with its history',
  params: IdParams,
  response: { 200: OrderWithHistoryBody, ...errorFieldResponses },
}

const REFRESH_ORDERS = {
  summary: 'Makes the open orders of the user due for a check of their status; does not wait for it',
  body: Nullable(Type.Object({}, exact)),
  response: { 202: Type.Object({ queued: Type.Integer() }), ...errorFieldResponses },
}

const RESOLVE_ORDER = {
  summary: 'Decides an order whose outcome is unknown',
  params: IdParams,
  body: Type.Object(
    {
      vendorOrderId: Type.Optional(
        Type.Union([Type.String({ maxLength: 64, pattern: '^[ -~]*$' }), Type.Integer({ minimum: 1 })], {
          description: "It was placed: the partner's number",
        }),
      ),
      placed: Type.Optional(Type.Boolean({ description: 'false: it was not placed' })),
    },
    exact,
  ),
  response: { 200: OrderWithHistoryBody, ...errorFieldResponses },
}

const LIST_UNRESOLVED = {
  summary: 'Lists the orders of all users whose outcome is unknown, oldest first, at most 500',
  response: { 200: Type.Array(OrderBody), ...errorFieldResponses },
}

const PATH = '/api/walgreens/orders'

/** A user's orders, and those that an administrator has to resolve. */
export function orderRoutes(app: App, deps: PrintOrdersDeps): void {
  const { db, logger, viewAudit, onCommit } = deps
  const { publicOrigin } = deps.origins
  const config = { access: 'user' } as const
  const admin = { access: 'admin' } as const

  /** An administrator who looks at the order of somebody else is in the audit log before the order is sent. */
  async function recordView(viewerId: number, order: { id: number; userId: number }): Promise<void> {
    if (order.userId === viewerId) return
    await viewAudit.record({ actorId: viewerId, action: 'order.viewed', ownerId: order.userId, subjectId: order.id })
  }

  app.get(PATH, { config, schema: LIST_ORDERS }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { limit, cursor = null } = request.query
    const total = await countOrders(db, userId)
    reply.header('x-total-count', total).header('cache-control', 'private, no-store')
    if (limit === undefined) {
      const text = Readable.from(streamOrders(db, userId, publicOrigin))
      return (reply as FastifyReply).type('application/json; charset=utf-8').send(text)
    }
    const { orders, next } = await listOrders(db, userId, { limit, cursor })
    const query = next && new URLSearchParams({ limit: String(limit), cursor: next })
    if (query) reply.header('link', `<${PATH}?${query}>; rel="next"`)
    return reply.send(orders.map((order) => orderBody(order, publicOrigin)))
  })

  app.get(`${PATH}/:id`, { config, schema: GET_ORDER }, async (request) => {
    const viewer = requireUser(request)
    const { order, history } = await readOrder(db, request.params.id, viewer)
    await recordView(viewer.userId, order)
    return { ...orderBody(order, publicOrigin), history: historyBody(history) }
  })

  app.post('/api/walgreens/refresh-order-status', { config, schema: REFRESH_ORDERS }, async (request, reply) => {
    const queued = await refreshOrders(db, requireUser(request).userId)
    return reply.code(202).send({ queued })
  })

  app.post(`${PATH}/:id/resolve`, { config: admin, schema: RESOLVE_ORDER }, async (request) => {
    requireRecentPassword(request.identity)
    const { id } = request.params
    const administrator = requireUser(request)
    const vendorOrderId = readNumber(request.body)
    await resolveOrder(db, id, { vendorOrderId, administratorId: administrator.userId })
    onCommit()
    const placed = vendorOrderId !== null
    logger.warn({ orderId: id, userId: administrator.userId, placed }, 'unknown order resolved by an administrator')
    const { order, history } = await readOrder(db, id, administrator)
    return { ...orderBody(order, publicOrigin), history: historyBody(history) }
  })

  app.get('/api/walgreens/unresolved-orders', { config: admin, schema: LIST_UNRESOLVED }, async (request) => {
    const orders = await listUnresolved(db)
    for (const order of orders) await recordView(requireUser(request).userId, order)
    return orders.map((order) => orderBody(order, publicOrigin))
  })
}

/** The text of a JSON array, read in batches, so that memory does not grow with its length. */
async function* streamOrders(db: Database, userId: number, publicOrigin: string): AsyncGenerator<string> {
  let separator = '['
  for await (const order of eachOrder(db, userId)) {
    yield separator + JSON.stringify(orderBody(order, publicOrigin))
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** The partner's number, null for an order that was not placed. @throws AppError 400 unless the body says one of both */
function readNumber({ vendorOrderId, placed }: Static<typeof RESOLVE_ORDER.body>): string | null {
  const number = String(vendorOrderId ?? '').trim()
  if (placed === false && number === '') return null
  if (placed !== false && number !== '') return number
  throw invalidFields({ vendorOrderId: 'Please enter the order number of the store, or say that it was not placed.' })
}
