import type { Database } from '../database.ts'

/** A request within this time after the last one changes nothing: the check will follow. */
const REFRESH_SECONDS = 5

/**
 * Makes the user's open orders due for a check now, without waiting for it. Returns how many are open and still checked.
 * An order whose checks have ended has no next check.
 */
export async function refreshOrders(db: Database, userId: number): Promise<number> {
  await db.$executeRaw`
    UPDATE walgreens_orders SET next_check_at = least(next_check_at, now()), refresh_requested_at = now()
    WHERE user_id = ${userId} AND order_status IN ('submitted', 'processing', 'ready') AND next_check_at IS NOT NULL
      AND (refresh_requested_at IS NULL OR refresh_requested_at < now() - make_interval(secs => ${REFRESH_SECONDS}))`
  const [row] = await db.$queryRaw<{ queued: number }[]>`
    SELECT count(*)::int AS queued FROM walgreens_orders
    WHERE user_id = ${userId} AND order_status IN ('submitted', 'processing', 'ready') AND next_check_at IS NOT NULL`
  return row?.queued ?? 0
}
