import { type Lifetime, repeat } from '@skyfolio/kit'
import type { Pool } from 'pg'

const EVERY_SECONDS = 3600
const BATCH = 5_000

/** Removes old entries of the audit log, until the worker stops. */
export function startAuditSweep(life: Lifetime, pool: Pool, keptDays: number): void {
  const stop = repeat('audit log', EVERY_SECONDS, () => sweepAudit(pool, keptDays), life.logger)
  life.defer('audit log', stop)
}

/** Removes the entries that are older than so many days. Returns their number. */
export async function sweepAudit(pool: Pool, keptDays: number): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    const { rowCount } = await pool.query(
      `DELETE FROM audit_log WHERE id IN (
         SELECT id FROM audit_log WHERE at < now() - make_interval(days => $1) ORDER BY at, seq LIMIT ${BATCH})`,
      [keptDays],
    )
    batch = rowCount ?? 0
  }
  return swept
}
