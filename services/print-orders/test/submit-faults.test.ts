import { randomUUID } from 'node:crypto'
import type { App } from '@skyfolio/kit'
import type { FaultRequest } from '@skyfolio/partner-sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newCustomer, openTestSystem, submit, type TestSystem } from './support.ts'

/*
 * Every fault of the partner on a submit: what the customer sees, what is stored, what the partner has, and that nothing is
 * sent twice, also when the browser repeats the request. Those of the reads before it are in nightly/partner-faults.test.ts.
 */

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start({ PARTNER_TIMEOUT_MS: '1000' })
})
afterEach(async () => {
  await system.sandbox.clearFaults()
  await system.sandbox.changeProfile({ errorStyle: 'http-200' })
})
afterAll(() => system.close())

interface Row {
  /** Status and code of the response, and of its repetition with the same key. */
  sees: [status: number, code?: string]
  again: number
  /** `order_status` in the database, null when nothing is stored. */
  stored: string | null
  /** Orders at the partner. */
  placed: number
  /** Requests of a submit that the partner got, the repetition included. */
  sent: number
}

const lost = (placed: number): Row => ({ sees: [202], again: 202, stored: 'unknown', placed, sent: 1 })
const rejected: Row = { sees: [422, 'partner_refused'], again: 422, stored: 'rejected', placed: 0, sent: 1 }
const accepted: Row = { sees: [201], again: 200, stored: 'submitted', placed: 1, sent: 1 }
/** Turned away before it was executed: nothing is stored, and the repetition, without the fault, makes the order. */
const turnedAway: Row = { sees: [502, 'partner_failed'], again: 201, stored: 'submitted', placed: 1, sent: 2 }

type Fault = Omit<FaultRequest, 'route' | 'times'>
const table: [string, Fault, Row][] = [
  ['a connection that is reset', { fault: 'reset' }, lost(0)],
  ['a connection that is reset after the order', { fault: 'reset', when: 'after' }, lost(1)],
  ['no response', { fault: 'hang' }, lost(0)],
  ['no response after the order', { fault: 'hang', when: 'after' }, lost(1)],
  ['an order whose response is dropped', { fault: 'commit-then-drop' }, lost(1)],
  ['a slow response', { fault: 'slow', ms: 200 }, accepted],
  ['429 with Retry-After', { fault: 'http-429', retryAfter: 0 }, turnedAway],
  ['429 with nothing but HTML', { fault: 'http-429' }, lost(0)],
  ['429 with nothing but HTML after the order', { fault: 'http-429', when: 'after' }, lost(1)],
  ['500 with HTML', { fault: 'http-500' }, lost(0)],
  ['500 with HTML after the order', { fault: 'http-500', when: 'after' }, lost(1)],
  ['502 with HTML', { fault: 'http-502', when: 'after' }, lost(1)],
  ['503 with HTML', { fault: 'http-503', when: 'after' }, lost(1)],
  ['200 with HTML', { fault: 'html', when: 'after' }, lost(1)],
  ['an empty response', { fault: 'empty-body' }, lost(1)],
  ['truncated JSON', { fault: 'truncated-json' }, lost(1)],
  ['a response that breaks off', { fault: 'broken-body' }, lost(1)],
  ['a success without a number', { fault: 'no-order-number' }, lost(1)],
  ['112', { fault: '112', text: 'API_NOT_ACTIVATED' }, rejected],
  ['112 without a text', { fault: '112', text: '' }, rejected],
  ['659', { fault: '659' }, rejected],
  ['661', { fault: '661' }, rejected],
  ['851', { fault: '851' }, rejected],
  ['2003', { fault: '2003' }, rejected],
  ['an unknown error', { fault: 'error', code: '9876', text: 'SIM: no' }, rejected],
  ['an unknown error without a text', { fault: 'error', code: '9876', text: '' }, rejected],
  ['a promise time that is no longer valid', { fault: 'promise-time-changed', when: 'before' }, rejected],
  ['a promise time that changes afterwards', { fault: 'promise-time-changed', when: 'after' }, accepted],
  ['a price that changes at that moment', { fault: 'price-change', percent: 50 }, accepted],
  ['fields that are null', { fault: 'null-fields', fields: ['status', 'errDesc'] }, accepted],
  ['a number that is null', { fault: 'null-fields', fields: ['vendorOrderId'] }, lost(1)],
  ['fields that are numbers', { fault: 'number-fields' }, accepted],
  ['fields that are unknown', { fault: 'extra-fields' }, accepted],
]

const countSent = async () => (await system.sandbox.counts()).submit ?? 0

async function storedOf(userId: number): Promise<string | null> {
  const { rows } = await system.pool.query('SELECT order_status FROM walgreens_orders WHERE user_id = $1', [userId])
  expect(rows.length).toBeLessThanOrEqual(1)
  return rows[0]?.order_status ?? null
}

describe.each(table)('%s', (_name, fault, row) => {
  test(`is ${row.sees.join(' ')}, stored as ${row.stored}, and sent ${row.sent} time(s)`, async () => {
    const user = await newCustomer(system, app)
    const before = await countSent()
    const key = randomUUID()
    await system.sandbox.addFault({ ...fault, route: 'submit', times: 1 })
    const first = await submit(app, user, user.body(), key)
    expect([first.status, first.body.code]).toEqual([row.sees[0], row.sees[1]])
    if (row === turnedAway) expect(await storedOf(user.userId)).toBeNull()
    else expect(await storedOf(user.userId)).toBe(row.stored)
    expect((await submit(app, user, user.body(), key)).status).toBe(row.again)

    expect(await storedOf(user.userId)).toBe(row.stored)
    expect(await user.placed()).toHaveLength(row.placed)
    expect(await countSent()).toBe(before + row.sent)
    const isListed = row.stored === 'unknown' || row.stored === 'submitted'
    expect(await user.listed()).toHaveLength(isListed ? 1 : 0)
  })
})

test('an error with HTTP status 400 is a rejection with its words', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.changeProfile({ errorStyle: 'http-4xx' })
  await system.sandbox.addFault({ fault: '851', text: 'phone is empty', route: 'submit', times: 1 })
  const { status, body } = await submit(app, user, user.body())
  expect([status, body.message]).toEqual([422, expect.stringContaining('phone is empty')])
})

test('an error as an HTML page with 5xx leaves the outcome unknown', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.changeProfile({ errorStyle: 'html-5xx' })
  await system.sandbox.addFault({ fault: '851', route: 'submit', times: 1 })
  expect((await submit(app, user, user.body())).status).toBe(202)
})

test('a partner that cannot be reached leaves nothing behind, and the key stays usable', async () => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault: 'connection-refused' })
  const key = randomUUID()
  expect(await submit(app, user, user.body(), key)).toMatchObject({ status: 502, body: { code: 'partner_failed' } })
  expect(await storedOf(user.userId)).toBeNull()
  await system.sandbox.clearFaults()
  await expect.poll(async () => (await submit(app, user, user.body(), key)).status, { timeout: 10_000 }).toBe(201)
  expect(await user.placed()).toHaveLength(1)
})

test.each([
  ['112', 502, 'partner_failed'],
  ['hang', 504, 'partner_timeout'],
  ['http-500', 502, 'partner_failed'],
] as const)('%s on the reads before a submit stores nothing', async (fault, status, code) => {
  const user = await newCustomer(system, app)
  await system.sandbox.addFault({ fault, route: 'stores' })
  expect(await submit(app, user, user.body())).toMatchObject({ status, body: { code } })
  expect(await storedOf(user.userId)).toBeNull()
  expect(await user.placed()).toEqual([])
})
