import type { App } from '@skyfolio/kit'
import type { FaultRequest } from '@skyfolio/partner-sandbox'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createStatusPoller } from '../../src/status/poller.ts'
import { openLog, openPartner, partnerConfig } from '../partner-support.ts'
import {
  type CallResult,
  call,
  newCustomer,
  newUser,
  openTestSystem,
  orderBody,
  PRINT_4X6,
  submit,
  type TestSystem,
} from '../support.ts'

/*
 * Every fault of the partner on every call: what the person sees, what is stored, what is sent again. The sandbox makes
 * the faults. Those of the submit itself are in submit-outcomes.test.ts.
 */

let system: TestSystem
let app: App
let redis: Redis
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start({ PARTNER_TIMEOUT_MS: '300' })
  redis = new Redis(system.redisUrl)
})
afterAll(async () => {
  redis.disconnect()
  await system.close()
})
// Nothing of a fault lasts: cached products, pauses after 429, failures that the circuit breaker counts.
afterEach(async () => {
  await system.sandbox.clearFaults()
  await system.sandbox.changeProfile({ errorStyle: 'http-200' })
  await redis.flushall()
  await expect.poll(async () => (await post('product-details', {})).status, { timeout: 10_000 }).toBe(200)
})

// An identity is accepted for a minute only.
const admin = () => newUser({ isAdmin: true })
const post = (path: string, body: object, user: { headers: Record<string, string> } = admin()) =>
  call(app, 'POST', `/api/walgreens/${path}`, { headers: user.headers, body })
const productDetails = [{ productId: PRINT_4X6.productId, qty: 10 }]

/** The calls that read, as people make them. */
const routes = {
  creds: () => post('v3/fetch-credentials', {}),
  products: () => post('products', {}, newUser()),
  stores: () => post('store-search', { latitude: '46.82', longitude: '-92.03', productDetails }, newUser()),
  coupon: () => post('validate-coupon', { couponCode: 'PRINT25', productDetails }, newUser()),
}
type Route = keyof typeof routes
const names = Object.keys(routes) as Route[]

/** A status with parts of the body, and how many requests the partner gets. */
interface Cell {
  status: number
  body?: object
  requests: number
}

const failed = (requests: number, words: string): Cell => ({
  status: 502,
  body: { code: 'partner_failed', message: expect.stringContaining(words), error: expect.stringContaining(words) },
  requests,
})
const UNREACHABLE = 'Walgreens cannot be reached'
const UNREADABLE = 'cannot be read'
const late: Cell = {
  status: 504,
  body: { code: 'partner_timeout', message: expect.stringContaining('too long') },
  requests: 3,
}
const fine: Cell = { status: 200, requests: 1 }

const everywhere = (cell: Cell): Record<Route, Cell> => ({ creds: cell, products: cell, stores: cell, coupon: cell })

/** The account is not accepted: the test of the credentials says so, the rest fails with a sentence. */
const account = (words: string): Record<Route, Cell> => ({
  ...everywhere(failed(1, words)),
  creds: {
    status: 200,
    body: { accepted: false, message: expect.stringContaining(words), uploadLimit: null },
    requests: 1,
  },
})

/** An error of the request: for a coupon it is the result. */
const rejected = (code: string, words: string): Record<Route, Cell> => ({
  ...account(words),
  coupon: { status: 200, body: { err: code, orderDiscountPrice: null }, requests: 1 },
})

type Fault = Omit<FaultRequest, 'route'>
const FIELDS = `products productPrice photoStoreDetails uploadLimit template landingUrl
  cloud status err orderDiscountPrice`.split(/\s+/)
const table: [string, Fault, Record<Route, Cell>][] = [
  ['a refused connection', { fault: 'connection-refused' }, everywhere(failed(0, UNREACHABLE))],
  ['a reset connection', { fault: 'reset' }, everywhere(failed(3, UNREACHABLE))],
  ['no response', { fault: 'hang' }, everywhere(late)],
  ['one connection that is reset', { fault: 'reset', times: 1 }, everywhere({ status: 200, requests: 2 })],
  ['one response that is missing', { fault: 'hang', times: 1 }, everywhere({ status: 200, requests: 2 })],
  ['429 for long', { fault: 'http-429', retryAfter: 60 }, everywhere(failed(1, 'busy'))],
  ['429 for a moment', { fault: 'http-429', times: 1, retryAfter: 1 }, everywhere({ status: 200, requests: 2 })],
  ['500 with HTML', { fault: 'http-500' }, everywhere(failed(3, UNREACHABLE))],
  ['502 with HTML', { fault: 'http-502' }, everywhere(failed(3, UNREACHABLE))],
  ['503 with HTML', { fault: 'http-503' }, everywhere(failed(3, UNREACHABLE))],
  ['200 with HTML', { fault: 'html' }, everywhere(failed(3, UNREADABLE))],
  ['an empty response', { fault: 'empty-body' }, everywhere(failed(3, UNREADABLE))],
  ['truncated JSON', { fault: 'truncated-json' }, everywhere(failed(3, UNREADABLE))],
  ['a response that breaks off', { fault: 'broken-body' }, everywhere(failed(3, UNREACHABLE))],
  [
    '112',
    { fault: '112', text: 'API_NOT_ACTIVATED' },
    account('not activated printing for this installation yet (error 112). API_NOT_ACTIVATED'),
  ],
  ['112 without a text', { fault: '112', text: '' }, account('(error 112)')],
  ['659', { fault: '659' }, account('(error 659)')],
  ['2003', { fault: '2003' }, account('(error 2003)')],
  ['661', { fault: '661', text: '' }, rejected('661', 'not configured for your account')],
  ['851', { fault: '851', text: '' }, rejected('851', 'a mandatory field is empty')],
  ['an unknown error', { fault: 'error', code: '9876', text: 'SIM: no' }, rejected('9876', 'SIM: no')],
  ['an unknown error without a text', { fault: 'error', code: '9876', text: '' }, rejected('9876', 'error 9876')],
  ['fields that are null', { fault: 'null-fields' }, everywhere(fine)],
  ['fields that are numbers', { fault: 'number-fields' }, everywhere(fine)],
  ['fields that are unknown', { fault: 'extra-fields' }, everywhere(fine)],
  ['a changed price', { fault: 'price-change', percent: 50 }, everywhere(fine)],
  [
    'no usable field',
    {
      fault: 'null-fields',
      fields: FIELDS,
    },
    everywhere(failed(3, UNREADABLE)),
  ],
]

async function requestsTo(route: string): Promise<number> {
  return (await system.sandbox.counts())[route] ?? 0
}

/** What the calls can store. */
async function stored(): Promise<unknown> {
  const { rows } = await system.pool.query(
    `SELECT (SELECT count(*) FROM walgreens_orders)::integer AS orders, (SELECT count(*) FROM store_positions)::integer AS positions,
            (SELECT count(*) FROM store_searches)::integer AS searches, (SELECT count(*) FROM outbox)::integer AS events`,
  )
  return rows[0]
}

async function cellOf(route: Route): Promise<Cell & { after: CallResult }> {
  const before = await requestsTo(route)
  const response = await routes[route]()
  return { status: response.status, body: response.body, requests: (await requestsTo(route)) - before, after: response }
}

describe.each(table)('%s', (_title, fault, cells) => {
  test.each(names)('on the call %s', async (route) => {
    await redis.flushall()
    await system.sandbox.addFault({ ...fault, route })
    const before = await stored()
    expect(await cellOf(route)).toMatchObject(cells[route])
    // Only a search of stores that succeeds leaves something.
    if (route !== 'stores' || cells[route].status !== 200) expect(await stored()).toEqual(before)
  })
})

describe('errors of the partner as', () => {
  test.each([
    ['http-4xx', account('(error 112)').products],
    ['html-5xx', failed(3, UNREACHABLE)],
  ])('%s', async (errorStyle, cell) => {
    await system.sandbox.changeProfile({ errorStyle })
    await system.sandbox.addFault({ fault: '112', route: 'products' })
    expect(await cellOf('products')).toMatchObject(cell)
  })
})

describe('while figures are read for an order', () => {
  const faults: [string, Fault, number, string][] = [
    ['a refused connection', { fault: 'connection-refused' }, 502, 'partner_failed'],
    ['a reset connection', { fault: 'reset' }, 502, 'partner_failed'],
    ['no response', { fault: 'hang' }, 504, 'partner_timeout'],
    ['502 with HTML', { fault: 'http-502' }, 502, 'partner_failed'],
    ['truncated JSON', { fault: 'truncated-json' }, 502, 'partner_failed'],
    ['429 for long', { fault: 'http-429', retryAfter: 60 }, 502, 'partner_failed'],
    ['112', { fault: '112' }, 502, 'partner_failed'],
    ['659', { fault: '659' }, 502, 'partner_failed'],
    ['2003', { fault: '2003' }, 502, 'partner_failed'],
  ]
  test.each(
    faults.flatMap(([title, ...rest]) =>
      (['products', 'stores', 'coupon'] as const).map((route) => [title, route, ...rest] as const),
    ),
  )(
    '%s on the call %s lets no order through, and the same key may be used again',
    async (_title, route, fault, status, code) => {
      const customer = await newCustomer(system, app)
      const body = orderBody([{ url: customer.url, qty: 10 }], { couponCode: 'PRINT25', orderTotal: '3.00' })
      const key = crypto.randomUUID()
      await system.sandbox.addFault({ ...fault, route })
      const before = [await requestsTo('submit'), await stored()]
      expect(await submit(app, customer, body, key)).toMatchObject({ status, body: { code } })
      expect([await requestsTo('submit'), await stored()]).toEqual(before)
      await system.sandbox.clearFaults()
      await redis.flushall()
      await expect.poll(async () => (await post('product-details', {})).status, { timeout: 10_000 }).toBe(200)
      expect(await submit(app, customer, body, key)).toMatchObject({ status: 201 })
    },
  )
})

/** A run of the status poller: requests, the status of the order then, and in how many seconds its next check is. */
type Poll = [requests: number, stored: string, from: number, to: number]
const read = (requests: number): Poll => [requests, 'ready', 200, 400]
/** The order is not the cause, so it stays due. */
const staysDue = (requests: number): Poll => [requests, 'submitted', -60, 1]
/** The order may be the cause. */
const waits = (requests: number): Poll => [requests, 'submitted', 25, 95]
const waitsLong = (requests: number): Poll => [requests, 'submitted', 3_500, 3_601]
const polls: Record<string, Poll> = {
  'a refused connection': staysDue(0),
  'a reset connection': waits(3),
  'no response': waits(3),
  'one connection that is reset': read(2),
  'one response that is missing': read(2),
  '429 for long': staysDue(1),
  '429 for a moment': read(2),
  '500 with HTML': waits(3),
  '502 with HTML': waits(3),
  '503 with HTML': waits(3),
  '200 with HTML': waitsLong(3),
  'an empty response': waitsLong(3),
  'truncated JSON': waitsLong(3),
  'a response that breaks off': waits(3),
  '112': staysDue(1),
  '112 without a text': staysDue(1),
  '659': staysDue(1),
  '2003': staysDue(1),
  '661': waitsLong(1),
  '851': waitsLong(1),
  'an unknown error': waitsLong(1),
  'an unknown error without a text': waitsLong(1),
  'fields that are null': read(1),
  'fields that are numbers': read(1),
  'fields that are unknown': read(1),
}
/** Faults of the status alone. */
const statusFaults: [string, Fault, Poll][] = [
  ['ids that are missing', { fault: 'missing-ids' }, [1, 'submitted', 20, 40]],
  ['an unknown text', { fault: 'unknown-status', text: 'Polishing' }, [1, 'submitted', 20, 40]],
  ['no list', { fault: 'null-fields', fields: ['statuses'] }, waitsLong(3)],
]
const pollTable = table.flatMap(([title, fault]) => {
  const poll = polls[title]
  return poll ? [[title, fault, poll] as const] : []
})

describe('the status of an order, which is ready', () => {
  test.each([...pollTable, ...statusFaults])('with %s', async (_title, fault, [requests, stored, from, to]) => {
    await system.pool.query('DELETE FROM walgreens_orders')
    const customer = await newCustomer(system, app)
    const { body } = await submit(app, customer, orderBody([{ url: customer.url, qty: 1 }]))
    await system.sandbox.setStatus(body.vendorOrderId, 'Ready for Pickup')
    const credentials = { partnerApiKey: 'sandbox-key', partnerAffiliateId: 'sandbox-affiliate' }
    const partner = openPartner(
      partnerConfig(system.sandbox.url, { ...credentials, partnerTimeoutMs: 300, partnerRequestsPerMinute: 100_000 }),
      { redis },
    )
    const options = { batchSize: 50, pauseMs: 0, onChange: () => {} }
    const poller = createStatusPoller({ db: system.db, partner, ...openLog(), ...options })
    await system.sandbox.addFault({ ...fault, route: 'status' })
    const before = await requestsTo('status')
    await poller.run(new AbortController().signal)
    expect((await requestsTo('status')) - before).toBe(requests)
    const { rows } = await system.pool.query(
      `SELECT order_status, extract(epoch FROM next_check_at - now())::float8 AS seconds FROM walgreens_orders`,
    )
    expect(rows).toEqual([{ order_status: stored, seconds: expect.any(Number) }])
    expect(rows[0].seconds).toBeGreaterThan(from)
    expect(rows[0].seconds).toBeLessThan(to)
  })
})

test('an upload token that expired concerns nobody: images are on our own server', async () => {
  await system.sandbox.addFault({ fault: 'expired-sas' })
  expect(await routes.creds()).toMatchObject({ status: 200, body: { accepted: true } })
})

test('an empty list of stores is a result', async () => {
  await system.sandbox.addFault({ fault: 'empty-store-list' })
  expect(await routes.stores()).toMatchObject({ status: 200, body: { photoStores: [] } })
})
