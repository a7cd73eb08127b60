import type { ErasureChangedSchema, EventTopic } from '@skyfolio/proto'
import type pg from 'pg'
import { inTransaction, type SqlDatabase, type SqlTransaction } from '../postgres/database.ts'
import type { Logger } from '../process/logger.ts'
import { repeat } from '../process/repeat.ts'
import { emit } from './outbox.ts'

const EVERY_SECONDS = 1
const PAGE_SIZE = 100

/** `complete`: nothing is left but tombstones. `waitsFor`: a sentence for administrators, without personal data. */
export type ErasureProgress = 'complete' | { waitsFor: string }

export interface ErasureDeps {
  pool: pg.Pool
  db: SqlDatabase
  logger: Logger
  /** The service's own topic. */
  topic: EventTopic<typeof ErasureChangedSchema>
  /**
   * Erases what the service has of the user, in as many transactions as it needs. It is repeated until it is complete, after
   * a crash too, and again when auth publishes the deletion again.
   */
  erase: (userId: number) => Promise<ErasureProgress>
  /** Called after each commit with events. */
  afterCommit: () => void
}

/**
 * Commits that a user is to be erased: the effect of `auth.user.deleted`. A repeated event begins again, so that auth gets
 * the confirmation that it missed, and so that what a restore brought back is erased.
 */
export async function requestErasure(tx: SqlTransaction, userId: number): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO erasures (user_id) VALUES ($1) ON CONFLICT (user_id) DO UPDATE SET erased_at = NULL`,
    userId,
  )
}

/** Erases the users of committed requests and publishes how far it is, until the returned function is called. */
export function startErasures(deps: ErasureDeps): () => Promise<void> {
  return repeat('erasures', EVERY_SECONDS, () => eraseRequested(deps), deps.logger)
}

/** Carries out the open requests once, all of them: those that wait or fail do not hold up others. */
export async function eraseRequested(deps: ErasureDeps): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await deps.pool.query<{ user_id: number }>(
      `SELECT user_id FROM erasures WHERE erased_at IS NULL AND user_id > $1 ORDER BY user_id LIMIT ${PAGE_SIZE}`,
      [after],
    )
    for (const { user_id: userId } of rows) {
      await alone(deps.pool, userId, () => eraseUser(deps, userId)).catch((error) =>
        deps.logger.error({ err: error, userId }, 'erasure failed, will retry'),
      )
      after = userId
    }
    if (rows.length < PAGE_SIZE) return
  }
}

async function eraseUser(deps: ErasureDeps, userId: number): Promise<void> {
  const progress = await deps.erase(userId)
  const complete = progress === 'complete'
  const waitsFor = complete ? '' : progress.waitsFor
  await deps.db.$transaction(async (tx) => {
    const changed = await tx.$queryRawUnsafe<{ revision: number }[]>(
      `UPDATE erasures SET erased_at = CASE WHEN $2 THEN now() END, waits_for = $3, revision = revision + 1
       WHERE user_id = $1 AND erased_at IS NULL AND ($2 OR waits_for <> $3) RETURNING revision`,
      userId,
      complete,
      waitsFor,
    )
    await emit(tx, deps.topic, ...changed.map(({ revision }) => ({ userId, complete, waitsFor, revision })))
  })
  deps.afterCommit()
}

/** Longer than an erasure takes; a machine that was switched off closes no connection. */
const LOCK_LIMIT = '15min'

/** Runs `work` unless another process is at this user. The lock ends with the transaction, which does nothing else. */
function alone(pool: pg.Pool, userId: number, work: () => Promise<void>): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = '${LOCK_LIMIT}'`)
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('erasure', ${userId})) AS locked`,
    )
    if (rows[0]?.locked) await work()
  })
}
