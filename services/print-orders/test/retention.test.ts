import { openPool } from '@skyfolio/kit'
import { createTestDatabase, type TestDatabase } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetOldPositions, rememberSearch } from '../src/catalog/stores.ts'
import { type Database, openDatabase } from '../src/database.ts'
import { purgeRejected } from '../src/orders/clean-up.ts'
import { lockUser } from '../src/users/erasure.ts'
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

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const search = { environment: 'sandbox' as const, latitude: '46.82', longitude: '-92.03', storeNumbers: ['4101'] }

test('orders that the partner rejected are deleted after 30 days, and no others', async () => {
  const make = (orderStatus: string, days: number) =>
    storeOrder(db, {
      userId: 1,
      ...{ orderStatus, updatedAt: daysAgo(days) },
      ...(['rejected', 'unknown'].includes(orderStatus) && { vendorOrderId: null }),
    })
  const kept = [await make('rejected', 29), await make('unknown', 31), await make('cancelled', 31)]
  await Promise.all(Array.from({ length: 3 }, () => make('rejected', 31)))
  const counts = await Promise.all([purgeRejected(db), purgeRejected(db)])
  expect(counts.reduce((sum, count) => sum + count)).toBe(3)
  const left = await db.order.findMany({ orderBy: { id: 'asc' }, select: { id: true } })
  expect(left).toEqual(kept.map(({ id }) => ({ id })))
})

test('keys of requests that waited for another one are kept for 30 days', async () => {
  const { id: orderId } = await storeOrder(db, { userId: 2 })
  for (const days of [29, 31]) {
    const alias = { userId: 2, idempotencyKey: `${days} days`, requestHash: 'x', orderId, createdAt: daysAgo(days) }
    await db.orderKeyAlias.create({ data: alias })
  }
  await purgeRejected(db)
  expect(await db.orderKeyAlias.findMany({ where: { userId: 2 } })).toMatchObject([{ idempotencyKey: '29 days' }])
})

test('the environment of a search is forgotten after a week', async () => {
  for (const userId of [3, 4]) await rememberSearch(db, { ...search, userId }, 1_000)
  await db.storeSearch.update({ where: { userId: 3 }, data: { searchedAt: daysAgo(8) } })
  await forgetOldPositions(db)
  expect(await db.storeSearch.findMany()).toMatchObject([{ userId: 4, environment: 'sandbox' }])
})

test('a search waits for another request of its user only as long as it may', async () => {
  await db.$transaction(async (tx) => {
    await lockUser(tx, 5)
    await expect(rememberSearch(db, { ...search, userId: 5 }, 100)).rejects.toThrow()
  })
  await rememberSearch(db, { ...search, userId: 5 }, 1_000)
  expect(await db.storeSearch.count({ where: { userId: 5 } })).toBe(1)
})
