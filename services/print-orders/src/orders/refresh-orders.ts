import type { Database } from '../database.ts'
import { OPEN_STATUSES } from './status-order.ts'

/** Between the checks that a user requests of an order: a request sooner after the last one is served when it has passed. */
const REFRESH_SECONDS = 5
/** The newest orders are checked at once, so that a user with very many delays nobody's. The others wait for their time. */
const REFRESHED_MAX = 50

/**
 * Makes the user's newest open orders due for a check, now or after the pause, without waiting for it. Returns their number, those that are due
 * already included. An order whose checks have ended has no next check.
 */
export async function refreshOrders(db: Database, userId: number): Promise<number> {
  // Locked in the order of the ids, like all orders: the status poller changes the same ones.
  await db.$executeRaw`
    WITH newest AS (
      SELECT id FROM walgreens_orders
      WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL
      ORDER BY created_at DESC, id DESC LIMIT ${REFRESHED_MAX}),
    open AS (
      SELECT id, greatest(now(), refresh_requested_at + make_interval(secs => ${REFRESH_SECONDS})) AS due
      FROM walgreens_orders
      WHERE id IN (SELECT id FROM newest) AND order_status = ANY (${OPEN_STATUSES})
        AND (refresh_requested_at IS NULL OR refresh_requested_at <= now())
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE walgreens_orders AS refreshed
    SET next_check_at = least(next_check_at, due), refresh_requested_at = due
    FROM open WHERE refreshed.id = open.id`
  const [row] = await db.$queryRaw<{ queued: number }[]>`
    SELECT least(count(*), ${REFRESHED_MAX})::int AS queued FROM walgreens_orders
    WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL`
  return row?.queued ?? 0
}
