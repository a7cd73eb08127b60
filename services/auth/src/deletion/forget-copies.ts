import type { NatsConnection } from '@nats-io/nats-core'
import { deadLetters, discardDeadLetter } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { mentionsUser } from './mentions-user.ts'

/** Events live so long in their stream, and until then a consumer may give one up. */
const EVENT_DAYS = 14
const PAGE_SIZE = 1_000

/** Deletes the dead letters of events about these users, of all consumers. Returns their number. */
export async function deleteDeadLetters(nats: NatsConnection, users: ReadonlySet<number>): Promise<number> {
  let count = 0
  for await (const letter of deadLetters(nats)) {
    if (!mentionsUser(letter.subject, letter.data, users)) continue
    await discardDeadLetter(nats, letter)
    count += 1
  }
  return count
}

/** Deletes auth's own published events about these users, before the outbox forgets them by itself. */
export async function deleteOutboxRows(pool: Pool, users: ReadonlySet<number>): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await pool.query<{ seq: string; subject: string; payload: Uint8Array }>(
      `SELECT seq, subject, payload FROM outbox WHERE published_at IS NOT NULL AND seq > $1 ORDER BY seq LIMIT ${PAGE_SIZE}`,
      [after],
    )
    const found = rows.filter(({ subject, payload }) => mentionsUser(subject, payload, users)).map(({ seq }) => seq)
    if (found.length > 0) await pool.query('DELETE FROM outbox WHERE seq = ANY($1::bigint[])', [found])
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** Deletes what consumers gave up after the erasure: events about erased users that were still on their way. */
export async function sweepDeadLetters({ pool, nats }: { pool: Pool; nats: NatsConnection }): Promise<number> {
  const { rows } = await pool.query<{ user_id: number }>(
    'SELECT user_id FROM account_deletions WHERE erased_at > now() - make_interval(days => $1)',
    [EVENT_DAYS + 1],
  )
  if (rows.length === 0) return 0
  return deleteDeadLetters(nats, new Set(rows.map((row) => row.user_id)))
}
