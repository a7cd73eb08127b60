import type { NatsConnection } from '@nats-io/nats-core'
import { emit, type Measurement, metrics, type ObjectStore } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import { forgetRateLimits } from '../accounts/rate-limits.ts'
import { findAndLockUser } from '../accounts/users.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Database, Transaction } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { requestSessionsEnd } from '../sessions/session-endings.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { SERVICES } from './erasure-progress.ts'
import { deleteDeadLetters, deleteOutboxRows } from './forget-copies.ts'
import { accountHash, writeLedgerEntry } from './ledger.ts'

const AT_ONCE = 50

/** Ends the time in which due deletions can be revoked. */
export async function beginDueErasures(db: Database): Promise<void> {
  const due = await db.$queryRaw<{ id: number }[]>`
    SELECT user_id AS id FROM account_deletions WHERE erasing_since IS NULL AND deletes_at <= now()
    ORDER BY deletes_at LIMIT ${AT_ONCE}`
  for (const { id } of due) await db.$transaction((tx) => beginErasure(tx, id))
}

/** Of a concurrent revocation one wins: it locks the user's row too. */
async function beginErasure(tx: Transaction, userId: number): Promise<void> {
  await findAndLockUser(tx, userId)
  const begun = await tx.$executeRaw`
    UPDATE account_deletions SET erasing_since = now()
    WHERE user_id = ${userId} AND erasing_since IS NULL AND deletes_at <= now()`
  if (begun === 0) return
  // Those that were started to take the deletion back.
  await requestSessionsEnd(tx, userId, null)
}

const TO_ANNOUNCE = Prisma.sql`erasing_since IS NOT NULL AND erased_at IS NULL
  AND (published_at IS NULL OR published_at < now() - interval '1 hour')`

interface AnnounceDeps {
  db: Database
  store: ObjectStore
  /** Called after a commit with events. */
  onCommit(): void
}

/**
 * Tells the services which users to erase, and again every hour until they are done: after the first time, for a service that
 * was restored or that lost its confirmation. The entry of the ledger comes first, so no erasure is forgotten by a restore.
 */
export async function announceErasures({ db, store, onCommit }: AnnounceDeps): Promise<void> {
  const erasing = await db.$queryRaw<{ id: number }[]>`
    SELECT user_id AS id FROM account_deletions WHERE ${TO_ANNOUNCE} ORDER BY erasing_since LIMIT ${AT_ONCE}`
  for (const { id } of erasing) {
    await recordErasure(db, store, id)
    await db.$transaction((tx) => announce(tx, id))
  }
  if (erasing.length > 0) onCommit()
}

async function recordErasure(db: Database, store: ObjectStore, userId: number): Promise<void> {
  const deletion = await db.accountDeletion.findUnique({ where: { userId } })
  const account = await accountHash(db, userId)
  if (!deletion?.erasingSince || account === null) return
  await writeLedgerEntry(store, { userId, account, erasedAt: deletion.erasingSince.toISOString() })
}

async function announce(tx: Transaction, userId: number): Promise<void> {
  const announced = await tx.$executeRaw`
    UPDATE account_deletions SET published_at = now() WHERE user_id = ${userId} AND ${TO_ANNOUNCE}`
  if (announced > 0) await emit(tx, events.userDeleted, { userId })
}

const CONFIRMED = Prisma.sql`(SELECT count(*) FROM service_erasures AS erasure WHERE erasure.user_id = deletion.user_id
  AND erasure.complete AND erasure.service IN (${Prisma.join([...SERVICES])})) = ${SERVICES.length}`

interface EraseDeps {
  db: Database
  redis: Redis
  nats: NatsConnection
  sessions: Sessions
}

/**
 * Erases what auth has of the users whom every other service has erased. The row goes last: until then the name is known, by
 * which some of the rest is found, so a crash in between repeats all of it.
 */
export async function eraseConfirmed(deps: EraseDeps): Promise<void> {
  const { db, nats } = deps
  const confirmed = await db.$queryRaw<{ id: number }[]>`
    SELECT user_id AS id FROM account_deletions AS deletion
    WHERE erasing_since IS NOT NULL AND published_at IS NOT NULL AND erased_at IS NULL AND ${CONFIRMED}
    ORDER BY erasing_since LIMIT ${AT_ONCE}`
  if (confirmed.length === 0) return
  const users = new Set(confirmed.map(({ id }) => id))
  await deleteDeadLetters(nats, users)
  await deleteOutboxRows(db, users)
  for (const userId of users) await eraseAccount(deps, userId)
}

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
  const erased = await tx.$executeRaw`
    UPDATE account_deletions AS deletion SET erased_at = now()
    WHERE user_id = ${userId} AND erased_at IS NULL AND ${CONFIRMED}`
  if (erased === 0) return
  const where = { userId }
  await tx.userUsage.deleteMany({ where })
  await tx.userActivity.deleteMany({ where })
  await tx.sessionEnding.deleteMany({ where })
  // Requested resets name only an address. Those of an address that another account has too are that account's.
  await tx.$executeRaw`
    DELETE FROM mails WHERE user_id IS NULL AND address_key(address) IN (
      SELECT address_key(own) FROM users, unnest(ARRAY[email, former_email]) AS own
      WHERE id = ${userId} AND own IS NOT NULL AND NOT EXISTS (
        SELECT FROM users AS other WHERE other.id <> ${userId}
          AND confirmed_key(other.email, other.email_confirmed, other.former_email) = address_key(own)))`
  // Tokens, mails, addresses and the entry of the list go with it.
  await tx.$executeRaw`DELETE FROM users WHERE id = ${userId}`
  await writeAudit(tx, { actorId: null, action: 'user.erased', ownerId: userId })
}

const erasing = metrics.gauge('skyfolio_erasures', 'Deleted accounts not yet erased everywhere')
const oldest = metrics.gauge(
  'skyfolio_erasures_oldest_seconds',
  'Time since the oldest erasure began that not every service has confirmed, or 0',
)

/** Measures what is being erased. Returns the function that ends it. */
export function measureErasures(db: Database): () => void {
  return metrics.onScrape('erasures', async (): Promise<Measurement[]> => {
    const [row] = await db.$queryRaw<{ count: number; age: number }[]>`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(erasing_since)), 0)::float8 AS age
      FROM account_deletions WHERE erasing_since IS NOT NULL AND erased_at IS NULL`
    return [
      [erasing, row?.count ?? 0],
      [oldest, row?.age ?? 0],
    ]
  })
}
