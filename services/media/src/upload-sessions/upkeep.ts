import { randomUUID } from 'node:crypto'
import { isUnavailable, type Logger, type Measurement, metrics, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import { type ObjectRemovalDeps, scheduleRemovals } from '../files/object-removals.ts'
import { Prisma } from '../generated/client.ts'
import type { SessionRow } from './rows.ts'

/** An open session in a lease is being completed, for others. */
type EndingSession = Pick<SessionRow, 'id' | 'userId' | 'objectId' | 'uploadId' | 'state'> & { leaseId: string }

const ABORTS_AT_ONCE = 8
/** Within a lease the uploads of a batch are aborted, also at a slow store. */
const BATCH = 3 * ABORTS_AT_ONCE
const LEASE_SECONDS = 90

/**
 * Deletes the upload sessions whose time is over, with what is stored of unfinished ones. Safe to call concurrently. Returns
 * their number.
 */
export async function sweepSessions(deps: ObjectRemovalDeps): Promise<number> {
  let count = 0
  for (let batch = BATCH; batch === BATCH; ) {
    const sessions = await leaseSessions(deps.db, Prisma.sql`expires_at < now()`)
    batch = sessions.length
    count += (await endSessions(deps, sessions)).length
  }
  return count
}

/** Deletes the upload sessions of a deleted user. One that is being completed follows when that has ended. */
export async function eraseSessions(deps: ObjectRemovalDeps, userId: number): Promise<'erased' | 'being completed'> {
  const { db } = deps
  for (let batch = BATCH; batch === BATCH; ) {
    const sessions = await leaseSessions(db, Prisma.sql`user_id = ${userId}`)
    batch = sessions.length
    await endSessions(deps, sessions)
  }
  const left = await db.$queryRaw<unknown[]>`SELECT 1 FROM upload_sessions WHERE user_id = ${userId} LIMIT 1`
  return left.length > 0 ? 'being completed' : 'erased'
}

/** Leases some of the sessions, so that none of them is completed meanwhile. Those that are being completed are left out. */
function leaseSessions(db: Database, condition: Prisma.Sql): Promise<EndingSession[]> {
  return db.$queryRaw<EndingSession[]>`
    UPDATE upload_sessions SET lease_id = ${randomUUID()}::uuid, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      state = CASE state WHEN 'open' THEN 'completing' ELSE state END
    WHERE id IN (
      SELECT id FROM upload_sessions WHERE ${condition} AND (lease_until IS NULL OR lease_until < now())
      ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
    RETURNING id, user_id AS "userId", object_id AS "objectId", upload_id AS "uploadId", state, lease_id AS "leaseId"`
}

/** Returns the sessions that are deleted. Others follow when their leases have expired. @throws when the store is unavailable */
async function endSessions(deps: ObjectRemovalDeps, sessions: EndingSession[]): Promise<EndingSession[]> {
  const free: EndingSession[] = []
  for (let start = 0; start < sessions.length; start += ABORTS_AT_ONCE) {
    const some = sessions.slice(start, start + ABORTS_AT_ONCE)
    const outcomes = await Promise.allSettled(some.map((session) => freeUpload(deps, session)))
    // In an outage no others are tried.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    free.push(...some.filter((_, index) => outcomes[index]?.status === 'fulfilled' && outcomes[index].value))
  }
  if (free.length === 0) return []
  return deps.db.$transaction(async (tx) => {
    const deleted = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM upload_sessions USING unnest(${free.map(({ id }) => id)}::text[], ${free.map(({ leaseId }) => leaseId)}::uuid[]) AS free (id, lease_id)
      WHERE upload_sessions.id = free.id AND upload_sessions.lease_id = free.lease_id RETURNING upload_sessions.id`
    const ended = free.filter(({ id }) => deleted.some((row) => row.id === id))
    // The parts may have become an object already.
    await scheduleRemovals(
      tx,
      ended.filter(isUnfinished).map(({ objectId, userId }) => ({ key: originalKey(objectId), userId })),
    )
    return ended
  })
}

/** Aborts the upload of an unfinished session at the store. Returns false when it has to be tried again. */
async function freeUpload({ store, logger }: ObjectRemovalDeps, session: EndingSession): Promise<boolean> {
  const { id, objectId, uploadId } = session
  if (!isUnfinished(session)) return true
  try {
    await store.parts.abort({ key: originalKey(objectId), uploadId })
    return true
  } catch (error) {
    if (isUnavailable(error)) throw error
    logger.warn({ err: error, id }, 'abort of an upload session failed, will retry')
    return false
  }
}

function isUnfinished({ state }: EndingSession): boolean {
  return state === 'completing'
}

const staged = metrics.gauge('skyfolio_upload_staged_bytes', 'Size of the files of upload sessions that have not ended')

const OVERDUE_MS = 3_600_000
const overdue = metrics.gauge(
  'skyfolio_upload_sessions_overdue',
  'Upload sessions that expired an hour ago and should have been swept',
)

/** Measures what the sessions that have not ended may fill, and what the sweep has left. */
export function measureSessions(db: Database): void {
  metrics.onScrape('upload sessions', async (): Promise<Measurement[]> => {
    const unfinished = { state: { in: ['open', 'completing'] } }
    const { _sum } = await db.uploadSession.aggregate({ where: unfinished, _sum: { size: true } })
    const late = await db.uploadSession.count({ where: { expiresAt: { lt: new Date(Date.now() - OVERDUE_MS) } } })
    return [
      [staged, Number(_sum.size ?? 0)],
      [overdue, late],
    ]
  })
}

/** Of no photo, and never completed. */
const KEY = 'originals/trial'

/**
 * Begins and ends an upload in parts. Without parts nobody can upload, and a store that takes none, or rejects the key's
 * request for them, would say so to the first user and to nobody else.
 */
export async function checkPartSupport({ parts }: Pick<ObjectStore, 'parts'>, logger: Logger): Promise<void> {
  const { minPartBytes } = parts.limits
  try {
    const uploadId = await parts.begin(KEY, minPartBytes)
    const upload = { key: KEY, uploadId, size: minPartBytes, partBytes: minPartBytes }
    await parts.list(upload).finally(() => parts.abort(upload))
  } catch (err) {
    // An outage is in the checks of the process.
    if (!isUnavailable(err))
      logger.error({ err }, 'the object store rejects uploads in parts: nobody can upload photos')
  }
}
