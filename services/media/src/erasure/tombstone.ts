import { type AppError, notFound, requestErasure, type SqlTransaction } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'

/** Of advisory locks: what is added for a user under them. */
const LOCKS = { uploads: 0x75706c64, printImages: 0x7072696e, exports: 0x6578706f }

/** Whether the user was deleted. */
export async function isErased(db: SqlTransaction, userId: number): Promise<boolean> {
  const rows = await db.$queryRawUnsafe<unknown[]>('SELECT 1 FROM deleted_users WHERE user_id = $1::int', userId)
  return rows.length > 0
}

export function accountDeleted(): AppError {
  return notFound('This account was deleted.')
}

/**
 * Serialises what is added for a user, so that each addition sees the one before and none follows the tombstone.
 * @throws AppError 404 when the user was deleted
 */
export async function lockForAdding(tx: SqlTransaction, kind: keyof typeof LOCKS, userId: number): Promise<void> {
  await waitForAdding(tx, kind, userId)
  if (await isErased(tx, userId)) throw accountDeleted()
}

/** Waits for the commits of what is being added for the user; none begins before this transaction has ended. */
export async function waitForAdding(tx: SqlTransaction, kind: keyof typeof LOCKS, userId: number): Promise<void> {
  await tx.$executeRawUnsafe('SELECT pg_advisory_xact_lock($1::int, $2::int)', LOCKS[kind], userId)
}

/**
 * Commits that the user is to be erased. From then on nothing is added: an upload or a request for print images commits
 * before this transaction, or finds the tombstone.
 */
export async function beginErasure(tx: Transaction, userId: number): Promise<void> {
  await waitForAdding(tx, 'uploads', userId)
  await waitForAdding(tx, 'printImages', userId)
  await tx.$executeRaw`INSERT INTO deleted_users (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
  // Keeps nothing of the user.
  await tx.$executeRaw`
    INSERT INTO users (id, public_by_default, revision, deleted) VALUES (${userId}, false, 0, true)
    ON CONFLICT (id) DO UPDATE SET public_by_default = false, quota = NULL, revision = 0, deleted = true`
  await requestErasure(tx, userId)
}
