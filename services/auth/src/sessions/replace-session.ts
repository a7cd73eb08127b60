import type { Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'
import type { NewSession, Sessions } from './sessions.ts'

/**
 * Makes a change that commits the end of all sessions of a user but the given new one. It replaces the session of the
 * request, of which somebody else may have a copy. It was started before the commit, so that whatever ends sessions later
 * finds it, and ends when the change fails. A crash costs the browser its session.
 */
export async function replaceSession<T>(
  sessions: Pick<Sessions, 'end'>,
  { userId, session }: { userId: number; session: NewSession | null },
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (session) await sessions.end(userId, session.hash)
    throw error
  }
}

/**
 * Whether a session that was started like another one is one that the user may have now. What ended the other one meanwhile
 * may not have found this one yet. `user` is locked, and read under the lock.
 */
export async function mayReplaceSession(
  tx: Transaction,
  user: User,
  { isAdmin, isDeleting = false }: NewSession,
): Promise<boolean> {
  if (user.disabled || (isAdmin && !user.isAdmin)) return false
  const deletion = await tx.accountDeletion.findUnique({ where: { userId: user.id }, select: { userId: true } })
  return (deletion !== null) === isDeleting
}
