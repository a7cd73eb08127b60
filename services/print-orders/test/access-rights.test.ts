import type { App } from '@skyfolio/kit'
import {
  CALLERS,
  type Caller,
  type Cells,
  cells,
  identityHeaders,
  LATE,
  outcomeFor,
  testRights,
} from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CallResult,
  CUSTOMER,
  type Customer,
  call,
  newCustomer,
  newUser,
  openTestSystem,
  PRINT_4X6,
  searchStores,
  submit,
  type TestSystem,
} from './support.ts'

/*
 * Who may do what: every route of the service, for every kind of caller and state of an order. An administrator sees every
 * order that users see, decides those that nobody knows, and never orders or reads details as their owner.
 */

const states = ['submitted', 'unknown', 'claimed', 'rejected', 'erased with its user'] as const
type State = (typeof states)[number]

interface Fixture {
  owner: Customer
  orderId: number
  photoId: number
}

type Method = Parameters<typeof call>[1]
type Send = (method: Method, path: string, body?: object) => Promise<CallResult>

interface Row {
  /** Method and URL pattern. */
  route: string
  what?: string
  request(fixture: Fixture, send: Send): Promise<CallResult>
  /** Whether the response contains what the owner has. */
  names?(body: unknown, fixture: Fixture): boolean
  /** In these states a successful request of these callers changes what the owner has. Others never do. */
  changes?: { by: Caller[]; in: State[] }
  /** Administrators need a recent password. */
  password?: 'always'
  expected: Partial<Record<State, Cells>>
}

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start({ PARTNER_PRODUCTION_URL: 'http://127.0.0.1:9' })
})
afterAll(() => system.close())

/** The state of an order makes no difference. */
const anyState = (row: Cells) => ({ submitted: row })
const users = (status: number) => anyState(cells(401, status, status, status))
const admins = (status: number) => anyState(cells(401, 403, 403, status))

const nobody = cells(401, 404, 404, 404)
const read = cells(401, 404, 200, 200)
const items = [{ productId: PRINT_4X6.productId, qty: 1 }]
const details = { firstName: 'Bea', lastName: 'Other', email: 'bea@other.test', phone: '2185550100' }
const containsOrder = (body: unknown, { orderId }: Fixture) =>
  (body as { id: number }[]).some(({ id }) => id === orderId)

const table: Row[] = [
  {
    route: 'POST /api/walgreens/products',
    request: (_fixture, send) => send('POST', '/api/walgreens/products', {}),
    expected: users(200),
  },
  {
    route: 'POST /api/walgreens/store-search',
    request: (_fixture, send) =>
      send('POST', '/api/walgreens/store-search', { latitude: '46.8', longitude: '-92', productDetails: items }),
    expected: users(200),
  },
  {
    route: 'POST /api/walgreens/validate-coupon',
    request: (_fixture, send) =>
      send('POST', '/api/walgreens/validate-coupon', { couponCode: 'PRINT25', productDetails: items }),
    expected: users(200),
  },
  {
    route: 'POST /api/walgreens/prepare-images',
    what: "the owner's photo",
    request: ({ photoId }, send) => send('POST', '/api/walgreens/prepare-images', { images: [{ photoId }] }),
    names: (body) => (body as { images: { status: string }[] }).images.some(({ status }) => status === 'ready'),
    expected: anyState(cells(401, 'not named', 'named', 'not named')),
  },
  {
    route: 'POST /api/walgreens/submit-order',
    what: "the owner's image",
    request: ({ owner }, send) => send('POST', '/api/walgreens/submit-order', owner.body({}, 2)),
    changes: { by: ['owner'], in: ['submitted'] },
    expected: { submitted: cells(401, 400, 201, 400), 'erased with its user': cells(401, 400, 404, 400) },
  },
  {
    route: 'POST /api/walgreens/submit-order',
    what: "the owner's photo",
    request: ({ owner, photoId }, send) => {
      const { productDetails, ...body } = owner.body()
      const imageDetails = [{ photoId, qty: 1 }]
      return send('POST', '/api/walgreens/submit-order', {
        ...body,
        productDetails: productDetails.map((product) => ({ ...product, imageDetails })),
      })
    },
    changes: { by: ['owner'], in: ['submitted'] },
    expected: { submitted: cells(401, 404, 201, 404) },
  },
  {
    route: 'GET /api/walgreens/orders',
    request: (_fixture, send) => send('GET', '/api/walgreens/orders'),
    names: containsOrder,
    expected: {
      submitted: cells(401, 'not named', 'named', 'not named'),
      unknown: cells(401, 'not named', 'named', 'not named'),
      claimed: cells(401, 'not named', 'not named', 'not named'),
      rejected: cells(401, 'not named', 'not named', 'not named'),
      'erased with its user': cells(401, 'not named', 'not named', 'not named'),
    },
  },
  {
    route: 'GET /api/walgreens/orders/:id',
    request: ({ orderId }, send) => send('GET', `/api/walgreens/orders/${orderId}`),
    expected: { submitted: read, unknown: read, claimed: nobody, rejected: nobody, 'erased with its user': nobody },
  },
  {
    route: 'POST /api/walgreens/refresh-order-status',
    request: (_fixture, send) => send('POST', '/api/walgreens/refresh-order-status'),
    changes: { by: ['owner'], in: ['submitted'] },
    expected: { ...users(202), unknown: cells(401, 202, 202, 202) },
  },
  {
    route: 'GET /api/walgreens/unresolved-orders',
    request: (_fixture, send) => send('GET', '/api/walgreens/unresolved-orders'),
    names: containsOrder,
    expected: {
      submitted: cells(401, 403, 403, 'not named'),
      unknown: cells(401, 403, 403, 'named'),
      claimed: cells(401, 403, 403, 'not named'),
      'erased with its user': cells(401, 403, 403, 'not named'),
    },
  },
  {
    route: 'POST /api/walgreens/orders/:id/resolve',
    request: ({ orderId }, send) =>
      send('POST', `/api/walgreens/orders/${orderId}/resolve`, { vendorOrderId: `found-${orderId}` }),
    changes: { by: ['admin'], in: ['unknown'] },
    password: 'always',
    expected: {
      submitted: cells(401, 403, 403, 409),
      unknown: cells(401, 403, 403, 200),
      claimed: cells(401, 403, 403, 404),
      rejected: cells(401, 403, 403, 404),
      'erased with its user': cells(401, 403, 403, 404),
    },
  },
  {
    route: 'GET /api/walgreens/customer',
    request: (_fixture, send) => send('GET', '/api/walgreens/customer'),
    names: (body) => (body as { customer: object | null }).customer !== null,
    expected: {
      submitted: cells(401, 'not named', 'named', 'not named'),
      'erased with its user': cells(401, 'not named', 'not named', 'not named'),
    },
  },
  {
    route: 'PUT /api/walgreens/customer',
    request: (_fixture, send) => send('PUT', '/api/walgreens/customer', details),
    changes: { by: ['owner'], in: ['submitted'] },
    expected: { ...users(200), 'erased with its user': cells(401, 200, 404, 200) },
  },
  {
    route: 'DELETE /api/walgreens/customer',
    request: (_fixture, send) => send('DELETE', '/api/walgreens/customer'),
    changes: { by: ['owner'], in: ['submitted'] },
    expected: users(204),
  },
  {
    route: 'GET /api/admin/environment',
    request: (_fixture, send) => send('GET', '/api/admin/environment'),
    expected: admins(200),
  },
  {
    route: 'POST /api/admin/environment',
    request: (_fixture, send) => send('POST', '/api/admin/environment', { environment: 'production' }),
    password: 'always',
    expected: admins(200),
  },
  {
    route: 'POST /api/walgreens/v3/fetch-credentials',
    request: (_fixture, send) => send('POST', '/api/walgreens/v3/fetch-credentials', {}),
    expected: admins(200),
  },
  {
    route: 'POST /api/walgreens/product-details',
    request: (_fixture, send) => send('POST', '/api/walgreens/product-details', {}),
    expected: admins(200),
  },
  {
    route: 'POST /api/walgreens/validate-coupon-official',
    request: (_fixture, send) =>
      send('POST', '/api/walgreens/validate-coupon-official', { couponCode: 'PRINT25', productDetails: items }),
    expected: admins(200),
  },
  {
    route: 'POST /api/walgreens/submit-order-official',
    request: (_fixture, send) => send('POST', '/api/walgreens/submit-order-official', {}),
    password: 'always',
    expected: admins(200),
  },
]

/** An order in this state, of a user whose details are remembered. */
async function makeFixture(state: State): Promise<Fixture> {
  const owner = await newCustomer(system, app)
  const photoId = system.media.addPhoto(owner.userId)
  await call(app, 'PUT', '/api/walgreens/customer', { headers: owner.headers, body: CUSTOMER })
  const { body } = await submit(app, owner, owner.body())
  const orderId = body.orderId as number
  if (state === 'erased with its user') await system.erase(owner.userId)
  else if (state !== 'submitted') {
    await system.pool.query(
      `UPDATE walgreens_orders SET order_status = $2, vendor_order_id = NULL, next_check_at = NULL,
              claimed_until = now() + interval '1 hour'
       WHERE id = $1`,
      [orderId, state],
    )
  }
  return { owner, orderId, photoId }
}

/** Everything that the service stores of the owner. */
async function recordOf({ owner }: Fixture): Promise<unknown> {
  const { rows } = await system.pool.query(
    `SELECT (SELECT jsonb_agg(o ORDER BY id) FROM walgreens_orders o WHERE user_id = $1) AS orders,
            (SELECT jsonb_agg(h ORDER BY h.id) FROM order_history h JOIN walgreens_orders o ON o.id = h.order_id
             WHERE user_id = $1) AS history,
            (SELECT to_jsonb(c) FROM customer_details c WHERE user_id = $1) AS customer`,
    [owner.userId],
  )
  return rows
}

/** In the sandbox, whatever an earlier request has chosen. */
async function sender({ owner }: Fixture, caller: Caller): Promise<Send> {
  await system.pool.query("UPDATE partner_environment SET environment = 'sandbox'")
  const isAdmin = caller === 'admin' || caller === LATE
  const late = { confirmedAt: Date.now() - 16 * 60_000 }
  const user = caller === 'owner' ? owner : newUser({ isAdmin, ...(caller === LATE && late) })
  const headers = caller === 'anonymous' ? identityHeaders() : user.headers
  // The path of the wizard, so that nothing but the rights is in the way of an order.
  if (caller === 'other' || isAdmin) await searchStores(app, user)
  return (method, path, body) => call(app, method, path, { headers, ...(body && { body }) })
}

testRights({
  table,
  callers: CALLERS,
  statesOf: (row) => Object.keys(row.expected) as State[],
  expected: ({ password, expected }, state, caller) => outcomeFor(password, expected[state] ?? nobody, caller),
  changes: ({ changes }, state, caller) => changes?.by.includes(caller) === true && changes.in.includes(state),
  makeFixture,
  recordOf,
  async prepare(row, fixture, caller) {
    const send = await sender(fixture, caller)
    return async () => {
      const { status, body } = await row.request(fixture, send)
      if (!row.names || status !== 200) return status
      return row.names(body, fixture) ? 'named' : 'not named'
    }
  },
  app: () => app,
})

test('only administrators with a recent password change the environment', async () => {
  const fixture = await makeFixture('submitted')
  for (const caller of CALLERS) {
    const send = await sender(fixture, caller)
    await send('POST', '/api/admin/environment', { environment: 'production' })
    const { rows } = await system.pool.query('SELECT environment FROM partner_environment')
    expect(rows, caller).toEqual([{ environment: caller === 'admin' ? 'production' : 'sandbox' }])
  }
})
