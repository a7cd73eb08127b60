import type { NatsConnection } from '@nats-io/nats-core'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { forgetRateLimits } from '../accounts/rate-limits.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Database, Transaction } from '../database.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { deleteDeadLetters, deleteOutboxRows } from './forget-copies.ts'
import { SERVICES } from './service-erasures.ts'

const AT_ONCE = 50

export interface EraseDeps {
  pool: Pool
  db: Database
  redis: Redis
  nats: NatsConnection
  sessions: Sessions
}

/**
 * Erases what auth has of the users whom every other service has erased. The row goes last: until then the name is known, by
 * which some of the rest is found, so a crash in between repeats all of it. Returns the users.
 */
export async function eraseConfirmed(deps: EraseDeps): Promise<number[]> {
  const { rows } = await deps.pool.query<{ user_id: number }>(
    `SELECT user_id FROM account_deletions AS deletion
     WHERE erasing_since IS NOT NULL AND published_at IS NOT NULL AND erased_at IS NULL AND ${CONFIRMED}
     ORDER BY erasing_since LIMIT ${AT_ONCE}`,
  )
  const ids = rows.map((row) => row.user_id)
  if (ids.length === 0) return ids
  const users = new Set(ids)
  await deleteDeadLetters(deps.nats, users)
  await deleteOutboxRows(deps.pool, users)
  for (const userId of ids) await eraseAccount(deps, userId)
  return ids
}

const CONFIRMED = `(SELECT count(*) FROM service_erasures AS erasure WHERE erasure.user_id = deletion.user_id
  AND erasure.complete AND erasure.service IN (${SERVICES.map((service) => `'${service}'`).join(', ')})) = ${SERVICES.length}`

async function eraseAccount({ db, redis, sessions }: EraseDeps, userId: number): Promise<void> {
  const user = await db.user.findUnique({ where: { id: userId } })
  if (user) {
    await sessions.endAll(userId, null)
    await forgetRateLimits(redis, user)
  }
  await redis.zrem('user-activity', userId)
  await db.$transaction((tx) => eraseRows(tx, userId))
}

async function eraseRows(tx: Transaction, userId: number): Promise<void> {
  // Whoever is about to add rows of this user holds the row, or finds none.
  await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR UPDATE`
  const erased = await tx.$executeRawUnsafe(
    `UPDATE account_deletions AS deletion SET erased_at = now() WHERE user_id = $1 AND erased_at IS NULL AND ${CONFIRMED}`,
    userId,
  )
  if (erased === 0) return
  for (const table of ['user_usage', 'user_activity', 'session_endings'])
    await tx.$executeRawUnsafe(`DELETE FROM ${table} WHERE user_id = $1`, userId)
  // Requested resets name only an address. Those of an address that another account has too are that account's.
  await tx.$executeRaw`
    DELETE FROM mails WHERE user_id IS NULL AND address_key(address) IN (
      SELECT address_key(own) FROM users, unnest(ARRAY[email, former_email]) AS own WHERE id = ${userId} AND own IS NOT NULL
      EXCEPT SELECT key FROM confirmed_addresses WHERE user_id <> ${userId})`
  // Tokens, mails, addresses and the entry of the list go with it.
  await tx.$executeRaw`DELETE FROM users WHERE id = ${userId}`
  await writeAudit(tx, { actorId: null, action: 'user.erased', ownerId: userId })
}
