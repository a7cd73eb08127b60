import { type AppError, notFound, type SqlTransaction } from '@skyfolio/kit'

/** Whether the user was deleted. */
export async function isErased(db: SqlTransaction, userId: number): Promise<boolean> {
  const rows = await db.$queryRawUnsafe<unknown[]>('SELECT 1 FROM deleted_users WHERE user_id = $1::int', userId)
  return rows.length > 0
}

/**
 * Rejects what would add something of a deleted user. The caller holds a lock of the user that `beginErasure` waits for.
 * @throws AppError 404
 */
export async function rejectErased(tx: SqlTransaction, userId: number): Promise<void> {
  if (await isErased(tx, userId)) throw accountDeleted()
}

export function accountDeleted(): AppError {
  return notFound('This account was deleted.')
}
