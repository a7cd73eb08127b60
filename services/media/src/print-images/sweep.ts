import type { Database } from '../database.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { PrintImage } from '../generated/client.ts'
import { unusedObjectsOf } from './rows.ts'

const BATCH = 500

/** Deletes expired images, and schedules the removal of their objects. Returns their number. */
export async function sweepExpiredPrintImages(db: Database, now = new Date()): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) batch = await sweepBatch(db, now)
  return swept
}

async function sweepBatch(db: Database, now: Date): Promise<number> {
  return db.$transaction(async (tx) => {
    const expired = await tx.$queryRaw<Pick<PrintImage, 'id' | 'source' | 'userId'>[]>`
      DELETE FROM print_images WHERE id IN (
        SELECT id FROM print_images WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ) RETURNING id, source, user_id AS "userId"`
    await scheduleRemovals(tx, expired.flatMap(unusedObjectsOf))
    return expired.length
  })
}
