import type { Database } from '../database.ts'
import { applyStatus } from './change-order.ts'

const EXPIRED_AT_ONCE = 100
const NO_RESPONSE = 'No response of the store was recorded.'

/**
 * Marks claims as unknown whose process has ended without recording an outcome: the partner may have the order. Returns
 * how many. Any number of processes may call it at once.
 */
export async function expireClaims(db: Database): Promise<number> {
  let expired = 0
  for (;;) {
    const claims = await db.$queryRaw<{ id: number }[]>`
      SELECT id FROM walgreens_orders WHERE order_status = 'claimed' AND claimed_until < now()
      ORDER BY created_at LIMIT ${EXPIRED_AT_ONCE}`
    if (claims.length === 0) return expired
    for (const claim of claims) {
      const changed = await db.$transaction((tx) => applyStatus(tx, claim, 'unknown', NO_RESPONSE))
      if (changed) expired += 1
    }
  }
}

/** How long a request that the partner rejected can be repeated with its key. */
const KEPT_DAYS = 30
const PURGED_AT_ONCE = 500

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
        ORDER BY id LIMIT ${PURGED_AT_ONCE} FOR UPDATE SKIP LOCKED)`
    purged += count
    if (count < PURGED_AT_ONCE) return purged
  }
}
