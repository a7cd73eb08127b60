import type { Database } from '../database.ts'

/** How long a request that the partner rejected can be repeated with its key. */
const KEPT_DAYS = 30
const BATCH = 500

/**
 * Deletes orders that the partner rejected, which no user sees, with the names and addresses in them; also keys of requests
 * that waited for another one. Returns how many orders. Any number of processes may call it at once.
 */
export async function purgeRejected(db: Database): Promise<number> {
  await db.$executeRaw`DELETE FROM order_key_aliases WHERE created_at < now() - make_interval(days => ${KEPT_DAYS})`
  for (let purged = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM walgreens_orders WHERE id IN (
        SELECT id FROM walgreens_orders
        WHERE order_status = 'rejected' AND updated_at < now() - make_interval(days => ${KEPT_DAYS})
        ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
    purged += count
    if (count < BATCH) return purged
  }
}
