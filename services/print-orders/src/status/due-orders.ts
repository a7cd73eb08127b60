import type { Pool } from 'pg'
import { OPEN_STATUSES } from '../orders/status-order.ts'
import type { Environment } from '../partner/types.ts'
import { retryDeadlocks } from './retry-deadlocks.ts'

/** An order whose status is requested from the partner now. */
export interface DueOrder {
  id: number
  vendorOrderId: string
  orderStatus: string
  /** When it was leased, by the clock of the database. */
  ageMs: number
  /** When it becomes due again if this process ends before it has a response. */
  leasedUntil: Date
}

/** The orders that are checked; the index of due orders has the same condition. */
export const IS_OPEN = `order_status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`

/** Longer than a pause and the request after it. A batch that is divided into several renews it before each. */
const LEASE_SECONDS = 120
const LEASE_END = `date_trunc('milliseconds', now()) + make_interval(secs => ${LEASE_SECONDS})`
/** After that nobody comes for the prints. */
export const POLLED_FOR_DAYS = 30

/**
 * Leases due orders of an environment: those first whose user requested the status, then the longest overdue. They become
 * due again by themselves, so that a killed process loses none.
 */
export async function leaseDueOrders(pool: Pool, environment: Environment, limit: number): Promise<DueOrder[]> {
  const { rows } = await pool.query<DueOrder>(
    `WITH due AS (
       SELECT id FROM walgreens_orders
       WHERE ${IS_OPEN} AND next_check_at <= now() AND environment = $1
       ORDER BY (refresh_requested_at >= next_check_at) IS TRUE DESC, next_check_at
       LIMIT $2 FOR UPDATE SKIP LOCKED)
     UPDATE walgreens_orders AS leased SET next_check_at = ${LEASE_END}, checks = checks + 1
     FROM due WHERE leased.id = due.id
     RETURNING leased.id, vendor_order_id AS "vendorOrderId", order_status AS "orderStatus",
       extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs", next_check_at AS "leasedUntil"`,
    [environment, limit],
  )
  return rows
}

/** The leased orders of `$1` and `$2`, locked in the order of their ids; none that were made due since. */
const LOCK_LEASED = `SELECT id FROM walgreens_orders JOIN unnest($1::int[], $2::timestamptz[]) AS lease (order_id, ends_at)
  ON id = order_id AND next_check_at = ends_at ORDER BY id FOR NO KEY UPDATE OF walgreens_orders`

const leases = (orders: DueOrder[]) => [orders.map(({ id }) => id), orders.map(({ leasedUntil }) => leasedUntil)]

/** Extends the leases of orders whose batch takes several requests. */
export async function renewLeases(pool: Pool, orders: DueOrder[]): Promise<void> {
  const { rows } = await retryDeadlocks(() =>
    pool.query<{ id: number; leasedUntil: Date }>(
      `WITH locked AS (${LOCK_LEASED})
       UPDATE walgreens_orders AS leased SET next_check_at = ${LEASE_END}
       FROM locked WHERE leased.id = locked.id RETURNING leased.id, next_check_at AS "leasedUntil"`,
      leases(orders),
    ),
  )
  const renewed = new Map(rows.map(({ id, leasedUntil }) => [id, leasedUntil]))
  for (const order of orders) order.leasedUntil = renewed.get(order.id) ?? order.leasedUntil
}

/**
 * Records in how many milliseconds orders are due next, null for never. Those whose user requested the status since they
 * were leased stay due.
 */
export async function scheduleOrders(
  pool: Pool,
  orders: DueOrder[],
  delayOf: (order: DueOrder) => number | null,
): Promise<void> {
  if (orders.length === 0) return
  const delays = orders.map((order) => delayOf(order))
  await retryDeadlocks(() =>
    pool.query(
      `WITH locked AS (${LOCK_LEASED})
       UPDATE walgreens_orders AS leased SET next_check_at = now() + make_interval(secs => checked.delay / 1000)
       FROM locked JOIN unnest($1::int[], $3::float8[]) AS checked (id, delay) USING (id)
       WHERE leased.id = locked.id`,
      [...leases(orders), delays],
    ),
  )
}

/** Ends the checks of old orders, also in an environment that is not configured. Any number of processes may call it. */
export async function endOldChecks(pool: Pool): Promise<void> {
  await pool.query(
    `WITH old AS (
       SELECT id FROM walgreens_orders
       WHERE ${IS_OPEN} AND next_check_at IS NOT NULL AND created_at < now() - make_interval(days => ${POLLED_FOR_DAYS})
       FOR UPDATE SKIP LOCKED)
     UPDATE walgreens_orders AS ended SET next_check_at = NULL FROM old WHERE ended.id = old.id`,
  )
}
