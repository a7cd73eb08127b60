import { emit, type ObjectStore } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Pool } from 'pg'
import { findAndLockUser } from '../accounts/lock-user.ts'
import type { Database, Transaction } from '../database.ts'
import { requestSessionsEnd } from '../sessions/session-endings.ts'
import { accountHash, writeLedgerEntry } from './ledger.ts'

const AT_ONCE = 50

interface Deps {
  pool: Pool
  db: Database
  store: ObjectStore
}

/** Ends the time in which due deletions can be revoked. Returns the users. */
export async function beginDueErasures({ pool, db }: Pick<Deps, 'pool' | 'db'>): Promise<number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT user_id FROM account_deletions WHERE erasing_since IS NULL AND deletes_at <= now()
     ORDER BY deletes_at LIMIT ${AT_ONCE}`,
  )
  const ids = rows.map((row) => row.user_id)
  for (const userId of ids) await db.$transaction((tx) => beginErasure(tx, userId))
  return ids
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

/**
 * Tells the services which users to erase, and again every hour until they are done: after the first time, for a service that
 * was restored or that lost its confirmation. The entry of the ledger comes first, so no erasure is forgotten by a restore.
 */
export async function announceErasures({ pool, db, store }: Deps): Promise<number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT user_id FROM account_deletions WHERE ${TO_ANNOUNCE} ORDER BY erasing_since LIMIT ${AT_ONCE}`,
  )
  const ids = rows.map((row) => row.user_id)
  for (const userId of ids) {
    await recordErasure({ db, store }, userId)
    await db.$transaction((tx) => announce(tx, userId))
  }
  return ids
}

const TO_ANNOUNCE = `erasing_since IS NOT NULL AND erased_at IS NULL
  AND (published_at IS NULL OR published_at < now() - interval '1 hour')`

async function recordErasure({ db, store }: Pick<Deps, 'db' | 'store'>, userId: number): Promise<void> {
  const deletion = await db.accountDeletion.findUnique({ where: { userId } })
  const account = await accountHash(db, userId)
  if (!deletion?.erasingSince || account === null) return
  await writeLedgerEntry(store, { userId, account, erasedAt: deletion.erasingSince.toISOString() })
}

async function announce(tx: Transaction, userId: number): Promise<void> {
  const announced = await tx.$executeRawUnsafe(
    `UPDATE account_deletions SET published_at = now() WHERE user_id = $1 AND ${TO_ANNOUNCE}`,
    userId,
  )
  if (announced > 0) await emit(tx, events.userDeleted, { userId })
}

const PAGE_SIZE = 500

/** Publishes the deletion of every user that is erased or being erased again. Returns their number. */
export async function republishDeletions(db: Database): Promise<number> {
  let count = 0
  for (let after = 0; ; ) {
    const page = await db.accountDeletion.findMany({
      where: { erasingSince: { not: null }, userId: { gt: after } },
      orderBy: { userId: 'asc' },
      take: PAGE_SIZE,
      select: { userId: true },
    })
    const last = page.at(-1)
    if (!last) return count
    await db.$transaction((tx) => emit(tx, events.userDeleted, ...page))
    count += page.length
    after = last.userId
  }
}
