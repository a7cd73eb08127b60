import type { Database, Transaction } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import type { RecentEnds } from '../uploads/inspect-stored.ts'
import type { UploadDeps } from '../uploads/save-upload.ts'
import type { SessionLimits } from './declared-files.ts'
import { unverifiedFile, uploadBusy } from './errors.ts'
import { type Failure, LEASE_SECONDS, readSession, type SessionRow, toSession, uploadOf } from './rows.ts'

export interface SessionDeps extends UploadDeps {
  recentEnds: RecentEnds
  sessionLimits: SessionLimits
}

/** The right to complete or end a session. */
export interface Lease {
  session: SessionRow
  leaseId: string
}

/** After its end a session says for so long what became of it. */
const HOURS_AFTER_END = 24

const NO_LEASE = { leaseId: null, leaseUntil: null }
const OPEN_AGAIN = { state: 'open', ...NO_LEASE }

/** Leases a session that is open, or whose lease has expired. Null: there is none in these states. */
export async function takeLease(db: Database, which: Prisma.UploadSessionWhereInput): Promise<Lease | null> {
  const leaseId = crypto.randomUUID()
  const leaseUntil = new Date(Date.now() + LEASE_SECONDS * 1000)
  const [row] = await db.uploadSession.updateManyAndReturn({
    where: { AND: [which, isFree()] },
    data: { state: 'completing', leaseId, leaseUntil },
  })
  return row ? { session: toSession(row), leaseId } : null
}

/** Leases one of the user's that has not expired. */
export function takeOwnLease(db: Database, userId: number, id: string): Promise<Lease | null> {
  return takeLease(db, { id, userId, expiresAt: { gt: new Date() } })
}

/** The condition that a session is not ended, and nobody completes it. */
export function isFree(): Prisma.UploadSessionWhereInput {
  return { OR: [{ state: 'open' }, { state: 'completing', leaseUntil: { lt: new Date() } }] }
}

/** The session is open again; nothing happens when somebody else has leased it. */
export async function releaseLease(db: Database, { session: { id }, leaseId }: Lease): Promise<void> {
  await db.uploadSession.updateMany({ where: { id, leaseId }, data: OPEN_AGAIN })
}

/**
 * Notes in the transaction of a photo that its session is completed. Without one, since there is no room for it, the session is open
 * again. @throws AppError 409 when somebody else has the lease now, or the worker has to decide first
 */
export async function saveOutcome(
  tx: Transaction,
  { session, leaseId }: Lease,
  photo: Photo | undefined,
): Promise<void> {
  const isOurs = photo?.filename.startsWith(session.objectId)
  if (photo && !isOurs && !photo.sha256Verified) await rejectOtherFile(tx, session, photo)
  const completed = photo && {
    ...{ state: 'completed', photoId: photo.id, ...NO_LEASE },
    // A new photo has its first revision.
    duplicate: photo.revision > 1 || !isOurs,
    expiresAt: hoursAfterEnd(),
  }
  const where = { id: session.id, leaseId }
  const { count } = await tx.uploadSession.updateMany({ where, data: completed ?? OPEN_AGAIN })
  if (count === 0) throw uploadBusy()
}

/**
 * A photo whose SHA-256 is a claim, too, is this file unless its size or its parts say otherwise; parts of another size say nothing.
 * If they do, one of the two claims is wrong: the worker decides, and the client tries again. @throws AppError 409
 */
async function rejectOtherFile(tx: Transaction, { size, partBytes, partHashes }: SessionRow, photo: Photo) {
  const [other] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM upload_sessions WHERE photo_id = ${photo.id} AND user_id = ${photo.userId} AND part_hashes <> ${partHashes}
      AND (part_bytes = ${partBytes}::int OR size <= least(part_bytes, ${partBytes}::int))`
  if (other || size !== photo.filesize) throw unverifiedFile()
}

/** Notes why a session failed, and schedules the removal of its object. @throws AppError 409 when somebody else has the lease now */
export async function failSession(db: Database, { session, leaseId }: Lease, failure: Failure): Promise<void> {
  const { id, userId, objectId } = session
  await db.$transaction(async (tx) => {
    const data = { state: 'failed', failure: { ...failure }, ...NO_LEASE, expiresAt: hoursAfterEnd() }
    const { count } = await tx.uploadSession.updateMany({ where: { id, leaseId }, data })
    if (count === 0) throw uploadBusy()
    await scheduleRemovals(tx, [{ key: originalKey(objectId), userId }])
  })
}

const hoursAfterEnd = () => new Date(Date.now() + HOURS_AFTER_END * 3_600_000)

/**
 * Ends a session that has no photo, and frees its bytes: its parts at once, an object that was made of them soon. Of a completed one
 * and one that is gone nothing remains to be done. @throws AppError 409 while it is being completed
 */
export async function endSession(
  { db, store }: Pick<SessionDeps, 'db' | 'store'>,
  userId: number,
  id: string,
): Promise<void> {
  const lease = await takeOwnLease(db, userId, id)
  if (lease) return void (await endLeased({ db, store }, lease))
  const session = await readSession(db, userId, id)
  if (session?.state === 'completing') throw uploadBusy(session.leaseUntil)
  if (session) await db.uploadSession.deleteMany({ where: { id: session.id, state: 'failed' } })
}

/** Ends a leased session. Returns false when somebody else has the lease now. */
export async function endLeased({ db, store }: Pick<SessionDeps, 'db' | 'store'>, lease: Lease): Promise<boolean> {
  const { id, userId } = lease.session
  const upload = uploadOf(lease.session)
  try {
    await store.parts.abort(upload)
  } catch (error) {
    await releaseLease(db, lease)
    throw error
  }
  return db.$transaction(async (tx) => {
    const { count } = await tx.uploadSession.deleteMany({ where: { id, leaseId: lease.leaseId } })
    // A removal that finds no object does nothing.
    if (count > 0) await scheduleRemovals(tx, [{ key: upload.key, userId }])
    return count > 0
  })
}
