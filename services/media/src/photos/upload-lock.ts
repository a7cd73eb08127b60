import type { SqlTransaction } from '@skyfolio/kit'
import { rejectErased } from '../erasure/tombstone.ts'

const UPLOADS_LOCK = 0x75706c64

/**
 * Serialises the uploads of a user, so that each one sees the files and the bytes of the one before.
 * @throws AppError 404 when the user was deleted
 */
export async function lockUploads(tx: SqlTransaction, userId: number): Promise<void> {
  await waitForUploads(tx, userId)
  await rejectErased(tx, userId)
}

/** Waits for the commits of the user's uploads; none begins before this transaction has ended. */
export async function waitForUploads(tx: SqlTransaction, userId: number): Promise<void> {
  await tx.$executeRawUnsafe('SELECT pg_advisory_xact_lock($1::int, $2::int)', UPLOADS_LOCK, userId)
}
