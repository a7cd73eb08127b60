import type { Database } from '../database.ts'

/** Long enough that an event about an order, which is followed for 30 days, still finds the mail that it led to. */
const KEPT_DAYS = 30
const BATCH = 5_000

/** Deletes mails that were finished long ago. Returns their number. */
export async function sweepFinishedMails(db: Database): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    batch = await db.$executeRaw`
      DELETE FROM mails WHERE id IN (
        SELECT id FROM mails WHERE finished_at < now() - make_interval(days => ${KEPT_DAYS})
        ORDER BY finished_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
  }
  return swept
}
