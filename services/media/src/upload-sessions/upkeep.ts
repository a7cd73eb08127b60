import { isUnavailable, type Logger, type Measurement, metrics, type ObjectStore } from '@skyfolio/kit'
import { type Database, inPages } from '../database.ts'
import type { ObjectRemovalDeps } from '../files/object-removals.ts'
import type { Prisma } from '../generated/client.ts'
import { endLeased, isFree, takeLease } from './lease.ts'

const AT_ONCE = 8

/**
 * Deletes the upload sessions whose time is over, with what is stored of unfinished ones. Safe to call concurrently. Returns
 * their number.
 */
export async function sweepSessions(deps: ObjectRemovalDeps): Promise<number> {
  return endSessions(deps, { expiresAt: { lt: new Date() } })
}

/** Deletes the upload sessions of a deleted user. One that is being completed follows when that has ended. */
export async function eraseSessions(deps: ObjectRemovalDeps, userId: number): Promise<'erased' | 'being completed'> {
  await endSessions(deps, { userId })
  return (await deps.db.uploadSession.count({ where: { userId } })) > 0 ? 'being completed' : 'erased'
}

/** Ends sessions but those that are being completed. Returns their number. @throws when the store is unavailable */
async function endSessions(deps: ObjectRemovalDeps, which: Prisma.UploadSessionWhereInput): Promise<number> {
  const { db } = deps
  let { count } = await db.uploadSession.deleteMany({
    where: { AND: [which, { state: { in: ['completed', 'failed'] } }] },
  })
  const pages = inPages(AT_ONCE, (last?: { id: string }) =>
    db.uploadSession.findMany({
      where: { AND: [which, isFree(), { id: { gt: last?.id ?? '' } }] },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: AT_ONCE,
    }),
  )
  for await (const page of pages) {
    const outcomes = await Promise.allSettled(page.map(({ id }) => endFree(deps, { AND: [which, { id }] })))
    // In an outage no others are tried.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    count += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
  }
  return count
}

/** Ends a session, if it is still free. Returns false when it is not, or has to be tried again. */
async function endFree(deps: ObjectRemovalDeps, which: Prisma.UploadSessionWhereInput): Promise<boolean> {
  const lease = await takeLease(deps.db, which)
  if (!lease) return false
  try {
    return await endLeased(deps, lease)
  } catch (error) {
    if (isUnavailable(error)) throw error
    deps.logger.warn({ err: error, id: lease.session.id }, 'abort of an upload session failed, will retry')
    return false
  }
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
