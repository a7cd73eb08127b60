import type { Pool } from 'pg'
import type { Environment } from '../partner/types.ts'

/** An order about which the partner is asked now. */
export interface DueOrder {
  id: number
  vendorOrderId: string
  orderStatus: string
  createdAt: Date
  /** When it becomes due again if this process ends before it has an answer. */
  dueAgainAt: Date
}

/** The statuses that can still change at the partner; the index of due orders has the same condition. */
const OPEN = `order_status IN ('submitted', 'processing', 'ready')`
/** Longer than a batch takes with all its waiting. */
const CLAIM_SECONDS = 120

/**
 * Takes due orders of an environment: those first whose user asked for the status, then the longest overdue. They become
 * due again by themselves, so that a killed process loses none.
 */
export async function claimDueOrders(pool: Pool, environment: Environment, limit: number): Promise<DueOrder[]> {
  const { rows } = await pool.query<DueOrder>(
    `WITH due AS (
       SELECT id FROM walgreens_orders
       WHERE ${OPEN} AND next_check_at <= now() AND environment = $1
       ORDER BY (refresh_requested_at >= next_check_at) IS TRUE DESC, next_check_at
       LIMIT $2 FOR UPDATE SKIP LOCKED)
     UPDATE walgreens_orders AS claimed
     SET next_check_at = date_trunc('milliseconds', now()) + make_interval(secs => $3), checks = checks + 1
     FROM due WHERE claimed.id = due.id
     RETURNING claimed.id, vendor_order_id AS "vendorOrderId", order_status AS "orderStatus",
       created_at AS "createdAt", next_check_at AS "dueAgainAt"`,
    [environment, limit, CLAIM_SECONDS],
  )
  return rows
}

/** Records when orders are due next; not for those whose user asked for the status since they were claimed. */
export async function scheduleOrders(
  pool: Pool,
  orders: DueOrder[],
  nextOf: (order: DueOrder) => Date | null,
): Promise<void> {
  await pool.query(
    `UPDATE walgreens_orders AS claimed SET next_check_at = checked.next
     FROM unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) AS checked (id, due_again_at, next)
     WHERE claimed.id = checked.id AND next_check_at = due_again_at`,
    [orders.map(({ id }) => id), orders.map(({ dueAgainAt }) => dueAgainAt), orders.map(nextOf)],
  )
}
