import type { FastifyInstance } from 'fastify'
import { dollars } from '../catalog/products.ts'
import { type Order, statusText } from '../orders/order.ts'
import type { FaultRequest } from '../state/faults.ts'
import type { Profile } from '../state/profile.ts'
import { maskKey } from '../state/request-log.ts'
import type { SandboxState } from '../state/state.ts'
import { attempt, type ClockChange, ControlError, resetAll, scriptStatus, turnClock } from './actions.ts'
import { clockSchema, faultSchema, listSchema, statusSchema } from './schemas.ts'

type WithId = { Params: { id: string } }
type WithLimit = { Querystring: { limit?: string } }

/** The control API: JSON for tests and scripts. */
export function addApi(app: FastifyInstance, state: SandboxState): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/changes', async () => ({ changes: state.changes, requests: state.log.lastId }))
  app.get('/stats', async () => ({ ...state.log.stats, orders: state.orders.size }))
  app.post('/reset', async (_request, reply) => {
    await resetAll(state)
    return reply.code(204).send()
  })
  addClock(app, state)
  addFaults(app, state)
  addProfiles(app, state)
  addOrders(app, state)
  addRequests(app, state)
}

function addClock(app: FastifyInstance, state: SandboxState): void {
  const describe = () => ({ now: new Date(state.clock.now()).toISOString(), offsetMs: state.clock.offsetMs })
  app.get('/clock', async () => describe())
  app.post<{ Body: ClockChange }>('/clock', { schema: clockSchema }, async ({ body }) => {
    await turnClock(state, body)
    return describe()
  })
}

function addFaults(app: FastifyInstance, { faults }: SandboxState): void {
  app.get('/faults', async () => faults.list())
  app.post<{ Body: FaultRequest }>('/faults', { schema: faultSchema }, async ({ body }, reply) =>
    reply.code(201).send(attempt(() => faults.add(body))),
  )
  app.delete('/faults', async (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  app.delete<WithId>('/faults/:id', async ({ params }, reply) => {
    if (!faults.remove(Number(params.id))) throw new ControlError('There is no such fault.', 404)
    return reply.code(204).send()
  })
}

function addProfiles(app: FastifyInstance, { profiles }: SandboxState): void {
  const masked = (profile: Profile) => ({ ...profile, apiKey: maskKey(profile.apiKey) })
  app.get('/profiles', async () => Object.fromEntries(profiles.entries().map(([id, profile]) => [id, masked(profile)])))
  app.patch<WithId & { Body: Record<string, unknown> }>(
    '/profiles/:id',
    { schema: { body: { type: 'object' } } },
    async ({ params, body }) => masked(attempt(() => profiles.change(params.id, body))),
  )
}

function addOrders(app: FastifyInstance, state: SandboxState): void {
  app.get<WithLimit>('/orders', { schema: listSchema }, async ({ query }) =>
    state.orders
      .list()
      .slice(-Number(query.limit ?? 100))
      .reverse()
      .map((order) => describeOrder(state, order)),
  )
  app.get<WithId>('/orders/:id', async ({ params }) => {
    const order = state.orders.get(params.id)
    if (!order) throw new ControlError('There is no such order.', 404)
    return describeOrder(state, order)
  })
  app.post<WithId & { Body: { status: string | null } }>(
    '/orders/:id/status',
    { schema: statusSchema },
    async ({ params, body }) => {
      scriptStatus(state, params.id, body.status)
      return describeOrder(state, state.orders.get(params.id) as Order)
    },
  )
  app.get<WithId>('/thumbnails/:id', async ({ params }, reply) => {
    const image = state.thumbnails.get(params.id)
    if (!image) throw new ControlError('This thumbnail is not kept.', 404)
    return reply.type('image/jpeg').send(image)
  })
}

function addRequests(app: FastifyInstance, { log }: SandboxState): void {
  app.get<WithLimit>('/requests', { schema: listSchema }, async ({ query }) => log.list(Number(query.limit ?? 100)))
  app.delete('/requests', async (_request, reply) => {
    log.clear()
    return reply.code(204).send()
  })
}

function describeOrder({ profiles }: SandboxState, order: Order) {
  const { subtotalCents, discountCents, submittedAt, stageAt, readyAt, history, timeZone: _, ...described } = order
  const { downloadAt: _1, downloadedAt: _2, pickupHours: _3, isCollected: _4, isPrinterDown: _5, ...fields } = described
  const iso = (time: number) => new Date(time).toISOString()
  return {
    ...fields,
    orderStatus: statusText(order, profiles.get(order.affId) ?? profiles.main),
    subtotal: dollars(subtotalCents),
    discount: dollars(discountCents),
    total: dollars(subtotalCents - discountCents),
    submittedAt: iso(submittedAt),
    stageAt: iso(stageAt),
    readyAt: iso(readyAt),
    history: history.map(({ at, text }) => ({ at: iso(at), text })),
  }
}
