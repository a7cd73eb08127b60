import type { Pool } from 'pg'

/** Long enough that an event about an order, which is followed for 30 days, still finds the mail that it led to. */
const KEPT_DAYS = 30
const BATCH = 5_000

/** Deletes mails that were finished long ago. Returns their number. */
export async function sweepFinishedMails(pool: Pool): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    const { rowCount } = await pool.query(
      `DELETE FROM mails WHERE id IN (
         SELECT id FROM mails WHERE finished_at < now() - make_interval(days => ${KEPT_DAYS})
         ORDER BY finished_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    )
    batch = rowCount ?? 0
  }
  return swept
}

/** How long mails wait for the settings of a mail server that has been taken away. */
const UNCONFIGURED_DAYS = 7

/** Drops mails that wait for a mail server while none is configured: sent much later they would only confuse. */
export async function dropUnsendableMails(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE mails SET status = 'dropped', finished_at = now(), address = NULL, data = '{}', lease_id = NULL, lease_until = NULL
     WHERE status = 'waiting' AND created_at < now() - make_interval(days => ${UNCONFIGURED_DAYS})`,
  )
}
