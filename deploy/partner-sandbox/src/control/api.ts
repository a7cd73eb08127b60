import type { FastifyInstance } from 'fastify'
import { dollars } from '../catalog/products.ts'
import { addHistory, type Order, statusText } from '../orders/order.ts'
import { HOUR } from '../state/clock.ts'
import { FAULTS, type FaultRequest, ROUTES } from '../state/faults.ts'
import { PROFILE_SCHEMA, type Profile } from '../state/profile.ts'
import { RequestLog } from '../state/request-log.ts'
import type { SandboxState } from '../state/state.ts'

type WithId = { Params: { id: string } }
type WithLimit = { Querystring: { limit?: string } }

/** An error that the caller caused; its message is shown. */
function callerError(message: string, statusCode: number): Error {
  return Object.assign(new Error(message), { statusCode })
}

/** The control API: JSON for tests, scripts and the page. */
export function addApi(app: FastifyInstance, state: SandboxState): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/stats', async () => state.log.stats)
  app.post('/reset', async (_request, reply) => {
    state.reset()
    await state.file.save()
    return reply.code(204).send()
  })
  app.get<WithLimit>('/requests', async ({ query }) => state.log.list(limitOf(query)))
  app.delete('/requests', async (_request, reply) => {
    state.log = new RequestLog()
    return reply.code(204).send()
  })
  addClock(app, state)
  addFaults(app, state)
  addProfile(app, state)
  addOrders(app, state)
}

const body = (properties: object, required: string[] = []) => ({
  schema: { body: { type: 'object', properties, required, additionalProperties: false } },
})
const FAULT_NUMBERS = ['times', 'probability', 'seconds', 'ms', 'minutes', 'percent', 'count', 'retryAfter']

function limitOf({ limit }: { limit?: string }): number {
  return Math.max(1, Math.floor(Number(limit)) || 100)
}

interface ClockChange {
  advanceHours?: number
  /** ISO 8601. */
  now?: string
  toNextStep?: boolean
  reset?: boolean
}

const clockOptions = body({
  advanceHours: { type: 'number', minimum: 0, maximum: 10_000 },
  now: { type: 'string' },
  toNextStep: { type: 'boolean' },
  reset: { type: 'boolean' },
})

function addClock(app: FastifyInstance, state: SandboxState): void {
  const { clock, life } = state
  const describe = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs })
  app.get('/clock', async () => describe())
  app.post<{ Body: ClockChange }>('/clock', clockOptions, async (request) => {
    clock.offsetMs = offsetAfter(state, request.body)
    await life.settle()
    state.save()
    return describe()
  })
}

function offsetAfter({ clock, life }: SandboxState, change: ClockChange): number {
  if (change.reset) return 0
  if (change.advanceHours !== undefined) return clock.offsetMs + change.advanceHours * HOUR
  const time = change.toNextStep ? life.nextStepAt() : Date.parse(change.now ?? '')
  if (time) return time - Date.now()
  throw callerError(change.toNextStep ? 'No order has a next step.' : 'The clock needs a time or a change of it.', 400)
}

const faultOptions = body(
  {
    fault: { type: 'string', enum: FAULTS },
    route: { type: 'string', enum: ['*', ...ROUTES] },
    when: { type: 'string', enum: ['before', 'after'] },
    ...Object.fromEntries(['code', 'text'].map((name) => [name, { type: 'string' }])),
    fields: { type: 'array', items: { type: 'string' } },
    ...Object.fromEntries(FAULT_NUMBERS.map((name) => [name, { type: 'number' }])),
  },
  ['fault'],
)

function addFaults(app: FastifyInstance, { faults }: SandboxState): void {
  app.get('/faults', async () => faults.list())
  app.post<{ Body: FaultRequest }>('/faults', faultOptions, async (request, reply) =>
    reply.code(201).send(faults.add(request.body)),
  )
  app.delete('/faults', async (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  app.delete<WithId>('/faults/:id', async ({ params }, reply) => {
    if (!faults.remove(Number(params.id))) throw callerError('There is no such fault.', 404)
    return reply.code(204).send()
  })
}

function addProfile(app: FastifyInstance, state: SandboxState): void {
  const path = `/profiles/${state.settings.affiliateId}`
  app.patch<{ Body: Partial<Profile> }>(path, body(PROFILE_SCHEMA), async ({ body }) => {
    state.profile = { ...state.profile, ...body }
    return state.profile
  })
}

const statusOptions = body({ status: { type: ['string', 'null'], maxLength: 100 } }, ['status'])

function addOrders(app: FastifyInstance, state: SandboxState): void {
  const find = (id: string): Order => {
    const order = state.orders.get(id)
    if (order) return order
    throw callerError('There is no such order.', 404)
  }
  app.get<WithLimit>('/orders', async ({ query }) => {
    const newest = [...state.orders.values()].slice(-limitOf(query)).reverse()
    return newest.map((order) => describeOrder(state, order))
  })
  app.get<WithId>('/orders/:id', async ({ params }) => describeOrder(state, find(params.id)))
  app.post<WithId & { Body: { status: string | null } }>('/orders/:id/status', statusOptions, async (request) => {
    const order = find(request.params.id)
    const { status } = request.body
    order.scriptedStatus = status
    addHistory(order, state.clock.now(), status === null ? 'Status follows the clock again' : `Status set: ${status}`)
    state.save()
    return describeOrder(state, order)
  })
  app.get<WithId>('/thumbnails/:id', async ({ params }, reply) => {
    const image = state.thumbnails.get(params.id)
    if (!image) throw callerError('This thumbnail is not kept.', 404)
    return reply.type('image/jpeg').send(image)
  })
}

function describeOrder(state: SandboxState, order: Order) {
  const { subtotalCents, discountCents } = order
  return {
    ...order,
    orderStatus: statusText(order, state.profile),
    subtotal: dollars(subtotalCents),
    discount: dollars(discountCents),
    total: dollars(subtotalCents - discountCents),
  }
}
