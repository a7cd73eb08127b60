import type { Database } from '../database.ts'
import { OPEN_STATUSES } from './status-order.ts'

/** A request within this time after the last one changes nothing: the check will follow. */
const REFRESH_SECONDS = 5

/**
 * Makes the user's open orders due for a check now, without waiting for it. Returns how many are open and still checked.
 * An order whose checks have ended has no next check.
 */
export async function refreshOrders(db: Database, userId: number): Promise<number> {
  // Locked in the order of the ids, like all orders: the status poller changes the same ones.
  await db.$executeRaw`
    WITH open AS (
      SELECT id FROM walgreens_orders
      WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL
        AND (refresh_requested_at IS NULL OR refresh_requested_at < now() - make_interval(secs => ${REFRESH_SECONDS}))
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE walgreens_orders AS refreshed
    SET next_check_at = least(next_check_at, now()), refresh_requested_at = now()
    FROM open WHERE refreshed.id = open.id`
  const [row] = await db.$queryRaw<{ queued: number }[]>`
    SELECT count(*)::int AS queued FROM walgreens_orders
    WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL`
  return row?.queued ?? 0
}
