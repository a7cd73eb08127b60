import type { Database } from '../database.ts'
import { applyStatus } from './change-order.ts'

const BATCH = 100
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
      ORDER BY created_at LIMIT ${BATCH}`
    if (claims.length === 0) return expired
    for (const claim of claims) {
      const changed = await db.$transaction((tx) => applyStatus(tx, claim, 'unknown', NO_RESPONSE))
      if (changed) expired += 1
    }
  }
}
