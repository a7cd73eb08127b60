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

/** How long mails wait for the settings of a mail server that has been taken away. */
const UNCONFIGURED_DAYS = 7

/** Drops mails that wait for a mail server while none is configured: sent much later they would only confuse. */
export async function dropUnsendableMails(db: Database): Promise<void> {
  await db.$executeRaw`
    UPDATE mails SET status = 'dropped', finished_at = now(), address = NULL, data = '{}', lease_id = NULL, lease_until = NULL
    WHERE status = 'waiting' AND created_at < now() - make_interval(days => ${UNCONFIGURED_DAYS})`
}
