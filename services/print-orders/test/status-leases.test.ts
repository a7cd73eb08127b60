import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../src/database.ts'
import { applyReports } from '../src/status/apply-reports.ts'
import { endOldChecks, leaseDueOrders, readDueOrders, renewLeases, scheduleOrders } from '../src/status/due-orders.ts'
import { openLog } from './partner-support.ts'
import { openStatusSystem, type StatusSystem } from './status-support.ts'

let system: StatusSystem
let db: Database
beforeAll(async () => {
  system = await openStatusSystem()
  db = openDatabase(system.pool)
})
afterEach(() => system.pool.query('DELETE FROM walgreens_orders'))
afterAll(() => system.close())

const MINUTE = 60_000
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * MINUTE)
const lease = (limit = 10) => leaseDueOrders(db, 'sandbox', limit)
const nextOf = async (id: number) => (await system.read(id)).next_check_at?.getTime() ?? null

describe('a lease', () => {
  test('ends by itself, and can be renewed', async () => {
    const [id = 0] = await system.storeOrders(['1'], { created_at: daysAgo(1) })
    const [order] = await lease()
    if (!order) throw new Error('nothing is due')
    expect(order.ageMs).toBeCloseTo(24 * 60 * MINUTE, -5)
    expect(await lease()).toEqual([])
    const first = order.leasedUntil
    await waitFor(
      async () => {
        await renewLeases(db, [order])
        return order.leasedUntil > first
      },
      { what: 'a later end' },
    )
    expect(await nextOf(id)).toBe(order.leasedUntil.getTime())
    await scheduleOrders(db, [order], () => 60 * MINUTE)
    expect(await nextOf(id)).toBeGreaterThan(Date.now() + 59 * MINUTE)
  })

  test('does not hide that a user has requested the status', async () => {
    const [id = 0] = await system.storeOrders(['1'])
    const leased = await lease()
    await system.pool.query('UPDATE walgreens_orders SET next_check_at = now(), refresh_requested_at = now()')
    await renewLeases(db, leased)
    await scheduleOrders(db, leased, () => 60 * MINUTE)
    expect(await nextOf(id)).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(await lease()).toHaveLength(1)
  })
})

/** Runs work whose second lock closes a circle with a transaction that locks the orders in the other order. */
async function inDeadlock(first: number, second: number, work: () => Promise<unknown>): Promise<void> {
  const client = await system.pool.connect()
  onTestFinished(() => client.release())
  const lock = (id: number) => client.query('SELECT FROM walgreens_orders WHERE id = $1 FOR UPDATE', [id])
  await client.query('BEGIN')
  // So that the database ends the other transaction.
  await client.query("SET LOCAL deadlock_timeout = '30s'")
  await lock(second)
  const working = work()
  await waitFor(
    async () => {
      const { rows } = await system.pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return rows.length > 0
    },
    { what: 'work that waits for a lock' },
  )
  await lock(first)
  await client.query('COMMIT')
  await working
}

describe('a deadlock', () => {
  test('keeps no order from its next check when other changes meet it', async () => {
    const [first = 0, second = 0] = await system.storeOrders(['1', '2'])
    const leased = await lease()
    await inDeadlock(first, second, () => scheduleOrders(db, leased, () => 60 * MINUTE))
    for (const id of [first, second]) expect(await nextOf(id)).toBeGreaterThan(Date.now() + 59 * MINUTE)
  })

  test('does not lose what the partner has reported', async () => {
    const [first = 0, second = 0] = await system.storeOrders(['1', '2'])
    const deps = { db, loggedTexts: new Set<string>(), ...openLog() }
    const entries = ['1', '2'].map((vendorOrderId) => ({ vendorOrderId, valid: true, code: null, orderStatus: 'Sold' }))
    const leased = await lease()
    await inDeadlock(first, second, () => applyReports(deps, leased, entries))
    for (const id of [first, second]) expect(await system.read(id)).toMatchObject({ order_status: 'picked_up' })
  })
})

describe('orders of an environment without an address', () => {
  test('are not measured as late', async () => {
    await system.storeOrders(['1'], { environment: 'production', next_check_at: daysAgo(2) })
    expect(await readDueOrders(db, ['sandbox'])).toEqual({ count: 0, late: 0 })
    await system.storeOrders(['2'], { next_check_at: daysAgo(1) })
    const { count, late } = await readDueOrders(db, ['sandbox'])
    expect([count, Math.round(late / 3600)]).toEqual([1, 24])
  })

  test('are not checked any more after 30 days either', async () => {
    const [old = 0] = await system.storeOrders(['1'], { environment: 'production', created_at: daysAgo(31) })
    const [recent = 0] = await system.storeOrders(['2'], { environment: 'production', created_at: daysAgo(29) })
    await endOldChecks(db)
    expect(await nextOf(old)).toBeNull()
    expect(await nextOf(recent)).not.toBeNull()
  })
})
