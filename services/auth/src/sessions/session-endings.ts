import type { Database, Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import type { User } from '../generated/client.ts'
import type { NewSession, Sessions } from './sessions.ts'

// The end of a user's sessions is committed with the change that demands it, and carried out in Redis afterwards: by the
// process that committed it, otherwise by the worker.

const AT_ONCE = 100

type EndingDeps = Pick<AuthDeps, 'db' | 'sessions' | 'logger'>

/** Commits, with the change that demands it, that all sessions of a user end, but one if `kept` is its hash. */
export async function requestSessionsEnd(tx: Transaction, userId: number, kept: string | null): Promise<bigint> {
  const { id } = await tx.sessionEnding.create({ data: { userId, keptSession: kept }, select: { id: true } })
  return id
}

/**
 * Ends the sessions of a committed request; null is none. A failure is only logged: the change is committed, and the worker
 * retries.
 */
export async function carryOutEnding({ db, sessions, logger }: EndingDeps, id: bigint | null): Promise<void> {
  if (id === null) return
  try {
    await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Row[]>`
        SELECT id, user_id, kept_session FROM session_endings WHERE id = ${id} FOR UPDATE`
      await endSessions(tx, sessions, rows)
    })
  } catch (error) {
    logger.warn({ err: error }, 'sessions not ended, the worker will retry')
  }
}

/** Ends the sessions of the requests that are left: of processes that ended too early, or while Redis was unavailable. */
export async function carryOutWaitingEndings(db: Database, sessions: Sessions): Promise<void> {
  const waiting = await db.sessionEnding.findMany({ orderBy: { id: 'asc' }, take: AT_ONCE, select: { id: true } })
  for (const { id } of waiting) {
    await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Row[]>`
        SELECT id, user_id, kept_session FROM session_endings WHERE id = ${id} FOR UPDATE SKIP LOCKED`
      await endSessions(tx, sessions, rows)
    })
  }
}

interface Row {
  id: bigint
  user_id: number
  kept_session: string | null
}

/**
 * The row stays locked until Redis has ended the sessions. So nobody repeats a request that is done: it would end sessions
 * that were started since, with the new password.
 */
async function endSessions(tx: Transaction, sessions: Sessions, rows: Row[]): Promise<void> {
  for (const { id, user_id, kept_session } of rows) {
    await sessions.endAll(user_id, kept_session)
    await tx.sessionEnding.delete({ where: { id } })
  }
}

/**
 * Makes a change that commits the end of all sessions of a user but the given new one. It replaces the session of the
 * request, of which somebody else may have a copy. It was started before the commit, so that whatever ends sessions later
 * finds it, and ends when the change fails. A crash costs the browser its session.
 */
export async function replaceSession<T>(
  sessions: Sessions,
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
