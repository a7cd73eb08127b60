import type { Logger } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Database, Transaction } from '../database.ts'
import type { Sessions } from './sessions.ts'

const AT_ONCE = 100

/** Commits, with the change that demands it, that all sessions of a user end, but one if `kept` is its hash. */
export async function requestSessionsEnd(tx: Transaction, userId: number, kept: string | null): Promise<bigint> {
  const { id } = await tx.sessionEnding.create({ data: { userId, keptSession: kept }, select: { id: true } })
  return id
}

export interface SessionEndings {
  /** Ends the sessions of a committed request. A failure is only logged: the change is committed, and the worker retries. */
  carryOut(id: bigint): Promise<void>
  /** Ends the sessions of the requests that are left: of processes that ended too early, or while Redis was unavailable. */
  carryOutWaiting(): Promise<void>
}

interface Row {
  id: bigint
  user_id: number
  kept_session: string | null
}

export interface SessionEndingDeps {
  db: Database
  pool: Pool
  sessions: Sessions
  logger: Logger
}

export function createSessionEndings({ db, pool, sessions, logger }: SessionEndingDeps): SessionEndings {
  /**
   * The row stays locked until Redis has ended the sessions. So nobody repeats a request that is done: it would end
   * sessions that were started since, with the new password.
   */
  async function endSessions(tx: Transaction, rows: Row[]): Promise<void> {
    for (const { id, user_id, kept_session } of rows) {
      await sessions.endAll(user_id, kept_session)
      await tx.sessionEnding.delete({ where: { id } })
    }
  }

  return {
    async carryOut(id) {
      try {
        await db.$transaction(async (tx) => {
          const rows = await tx.$queryRaw<Row[]>`
            SELECT id, user_id, kept_session FROM session_endings WHERE id = ${id} FOR UPDATE`
          await endSessions(tx, rows)
        })
      } catch (error) {
        logger.warn({ err: error }, 'sessions not ended, the worker will retry')
      }
    },
    async carryOutWaiting() {
      const waiting = await pool.query<{ id: string }>(`SELECT id FROM session_endings ORDER BY id LIMIT ${AT_ONCE}`)
      for (const { id } of waiting.rows) {
        await db.$transaction(async (tx) => {
          const rows = await tx.$queryRaw<Row[]>`
            SELECT id, user_id, kept_session FROM session_endings WHERE id = ${BigInt(id)} FOR UPDATE SKIP LOCKED`
          await endSessions(tx, rows)
        })
      }
    },
  }
}
