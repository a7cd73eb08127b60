import type { Database } from '../database.ts'
import { deleteExports } from './export-rows.ts'

const BATCH = 20

/** Deletes expired exports, and schedules the removal of their objects. Returns their number. */
export async function sweepExpiredExports(db: Database, now = new Date()): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    batch = await db.$transaction(async (tx) => {
      const expired = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM exports WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
      await deleteExports(
        tx,
        expired.map(({ id }) => id),
      )
      return expired.length
    })
  }
  return swept
}
