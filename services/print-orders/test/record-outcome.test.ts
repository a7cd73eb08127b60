import { randomUUID } from 'node:crypto'
import { createLogger, openPool } from '@skyfolio/kit'
import { createTestDatabase, type TestDatabase } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database.ts'
import { dropClaim } from '../src/orders/claim.ts'
import { expireClaims } from '../src/orders/clean-up.ts'
import { recordOutcome } from '../src/orders/record-outcome.ts'
import type { SubmitOutcome } from '../src/partner/types.ts'
import { storeOrder } from './support.ts'

let database: TestDatabase
let pool: ReturnType<typeof openPool>
let db: Database
beforeAll(async () => {
  database = await createTestDatabase('print-orders')
  pool = openPool(database.url)
  db = openDatabase(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const logger = createLogger('print-orders', 'silent')
const accepted = (): SubmitOutcome => ({ outcome: 'accepted', vendorOrderId: randomUUID() })
const rejected: SubmitOutcome = { outcome: 'rejected', code: '851', words: 'A field is empty', status: null }
const unknown: SubmitOutcome = { outcome: 'unknown', kind: 'timeout' }
const notSent: SubmitOutcome = { outcome: 'notSent', kind: 'connection' }

const claim = (orderStatus = 'claimed') =>
  storeOrder(db, { userId: 1, orderStatus, vendorOrderId: null, claimId: randomUUID() })

async function statusAfter(orderStatus: string, outcome: SubmitOutcome): Promise<string | null> {
  const order = await claim(orderStatus)
  // Safe to repeat, as after a commit whose confirmation was lost.
  await recordOutcome({ db, logger }, order, outcome)
  await recordOutcome({ db, logger }, order, outcome)
  const found = await db.order.findUnique({ where: { id: order.id } })
  return found?.orderStatus ?? null
}

test.each([
  ['claimed', 'accepted', accepted(), 'submitted'],
  ['claimed', 'rejected', rejected, 'rejected'],
  ['claimed', 'unknown', unknown, 'unknown'],
  ['claimed', 'not sent', notSent, null],
  ['unknown', 'accepted', accepted(), 'submitted'],
  ['unknown', 'rejected', rejected, 'cancelled'],
  ['unknown', 'unknown', unknown, 'unknown'],
  ['unknown', 'not sent', notSent, 'cancelled'],
  ['cancelled', 'accepted', accepted(), 'cancelled'],
  ['cancelled', 'rejected', rejected, 'cancelled'],
  ['cancelled', 'not sent', notSent, 'cancelled'],
])('an order that is %s and %s', async (before, _what, outcome, after) => {
  expect(await statusAfter(before, outcome)).toBe(after)
})

test('an order that was erased meanwhile stays erased', async () => {
  const order = await claim()
  await db.order.delete({ where: { id: order.id } })
  for (const outcome of [accepted(), rejected, unknown, notSent]) {
    expect(await recordOutcome({ db, logger }, order, outcome)).toBeNull()
  }
  expect(await db.order.count({ where: { id: order.id } })).toBe(0)
})

test('a number that another order has leaves the outcome unknown', async () => {
  const vendorOrderId = randomUUID()
  await storeOrder(db, { userId: 2, vendorOrderId })
  const order = await recordOutcome({ db, logger }, await claim(), { outcome: 'accepted', vendorOrderId })
  expect(order).toMatchObject({ orderStatus: 'unknown', vendorOrderId: null })
})

test('the number of an order that was resolved otherwise is kept in its history', async () => {
  const order = await claim('cancelled')
  await recordOutcome({ db, logger }, order, { outcome: 'accepted', vendorOrderId: 'late-1' })
  const history = await db.orderHistory.findMany({ where: { orderId: order.id } })
  expect(history).toMatchObject([{ status: 'cancelled', note: 'The store accepted it late as order late-1.' }])
})

test('a released claim of another attempt stays', async () => {
  const order = await claim()
  await recordOutcome({ db, logger }, { id: order.id, claimId: randomUUID() }, notSent)
  await dropClaim(db, randomUUID())
  expect(await db.order.count({ where: { id: order.id } })).toBe(1)
  await dropClaim(db, order.claimId ?? '')
  expect(await db.order.count({ where: { id: order.id } })).toBe(0)
})

test('claims whose time has passed become unknown once, whoever finds them', async () => {
  const past = new Date(Date.now() - 1_000)
  const expired = await Promise.all(
    Array.from({ length: 150 }, () =>
      storeOrder(db, { userId: 3, orderStatus: 'claimed', vendorOrderId: null, claimedUntil: past }),
    ),
  )
  const future = new Date(Date.now() + 60_000)
  const alive = await storeOrder(db, { userId: 3, orderStatus: 'claimed', vendorOrderId: null, claimedUntil: future })
  const counts = await Promise.all([expireClaims(db), expireClaims(db), expireClaims(db)])
  expect(counts.reduce((sum, count) => sum + count)).toBe(expired.length)
  expect(await db.order.count({ where: { userId: 3, orderStatus: 'unknown', revision: 2 } })).toBe(expired.length)
  expect(await db.order.findUnique({ where: { id: alive.id } })).toMatchObject({ orderStatus: 'claimed' })
})
