import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import { objectKeysOf } from '../files/object-keys.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { nextCopyNumber } from '../photos/copy-number.ts'
import { type Correctable, omitCorrectedFields } from '../photos/corrected-fields.ts'
import { rememberFailedUpload } from '../photos/failed-uploads.ts'
import { waitForUploads } from '../photos/upload-lock.ts'

export interface Lease {
  photo: Photo
  leaseId: string
}

/** Where a worker is in its round of the users. */
export interface Round {
  lastUserId: number
}

/** Acquires a lease on the next photo for `seconds` and counts an attempt. Returns null when none waits. */
export async function acquireNextLease(db: Database, seconds: number, round: Round): Promise<Lease | null> {
  for (let next = await findNextPhoto(db, round); next !== null; next = await findNextPhoto(db, round)) {
    round.lastUserId = next.userId
    const lease = await acquireLease(db, next.id, seconds)
    if (lease) return lease
    // Another worker was faster.
  }
  return null
}

/**
 * Acquires a lease on a photo for `seconds` and counts an attempt. Returns null when the photo is processed or deleted,
 * or another worker holds the lease.
 */
export async function acquireLease(db: Database, photoId: number, seconds: number): Promise<Lease | null> {
  const leaseId = randomUUID()
  const acquired = await db.$executeRaw`
    UPDATE photos SET attempts = attempts + 1, lease_id = ${leaseId}::uuid,
      lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${photoId} AND status = 'processing' AND (lease_until IS NULL OR lease_until < now())`
  if (acquired === 0) return null
  const photo = await db.photo.findFirst({ where: { id: photoId, leaseId } })
  return photo && { photo, leaseId }
}

/** The oldest waiting photo of a user. */
interface WaitingPhoto {
  id: number
  userId: number
  /** Photos of the user in work. */
  inWork: number
}

/**
 * Selects the next photo: the oldest of the next user in the worker's round without a photo in work, or else of a user with
 * the fewest. So a user with many waiting photos does not delay the others by all of them, and each worker can select by
 * itself.
 */
async function findNextPhoto(db: Database, { lastUserId }: Round): Promise<WaitingPhoto | null> {
  const later = (await findWaitingUsers(db, lastUserId)).at(-1)
  if (later?.inWork === 0) return later
  const all = await findWaitingUsers(db, 0)
  return all.toSorted((a, b) => a.inWork - b.inWork)[0] ?? null
}

/**
 * Steps through the users above an id who have waiting photos, up to the first without a photo in work: hardly more users
 * than there are leases. Only `photos_waiting` has the order of the steps, so each reads a few rows, whatever the
 * planner expects of the number of users and their photos.
 */
function findWaitingUsers(db: Database, aboveId: number): Promise<WaitingPhoto[]> {
  return db.$queryRaw`
    WITH RECURSIVE waiting AS (
      SELECT ${aboveId}::int AS user_id, NULL::int AS id, 1::bigint AS in_work
      UNION ALL
      SELECT next.user_id, next.id, (
        SELECT count(*) FROM photos
        WHERE user_id = next.user_id AND lease_id IS NOT NULL AND lease_until >= now()
      )
      FROM waiting CROSS JOIN LATERAL (
        SELECT user_id, id FROM photos
        WHERE status = 'processing' AND (lease_until IS NULL OR lease_until < now()) AND user_id > waiting.user_id
        ORDER BY user_id, id LIMIT 1
      ) AS next
      WHERE waiting.in_work > 0
    )
    SELECT id, user_id AS "userId", in_work::int AS "inWork" FROM waiting WHERE id IS NOT NULL`
}

/** Extends the lease by `seconds` from now. */
async function renewLease(db: Database, { photo, leaseId }: Lease, seconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE photos SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${photo.id} AND lease_id = ${leaseId}::uuid`
}

/** Renews the lease until the returned function is called. */
export function keepLease(db: Database, lease: Lease, seconds: number): () => void {
  const renewal = setInterval(() => renewLease(db, lease, seconds).catch(() => {}), (seconds * 1000) / 3)
  return () => clearInterval(renewal)
}

/** Releases the lease, with a retry in `seconds`. `uncounted` when the failure was not the photo's fault. */
export async function releaseLease(
  db: Database,
  { photo, leaseId }: Lease,
  seconds: number,
  uncounted: boolean,
): Promise<void> {
  await db.$executeRaw`
    UPDATE photos SET lease_id = NULL, lease_until = now() + make_interval(secs => ${seconds}),
      attempts = attempts - ${uncounted ? 1 : 0}
    WHERE id = ${photo.id} AND lease_id = ${leaseId}::uuid`
}

/** Columns that processing sets; `sha256` only where the photo had a wrong one. */
export type ProcessingResult = Prisma.PhotoUpdateManyMutationInput & { sha256?: string }

/**
 * Saves the result of processing with its event, and schedules the removal of replaced renditions. Corrections of the
 * owner, also those made meanwhile, are kept. Returns false when the lease was lost, so that another worker's result
 * counts, and when the photo or its user was deleted.
 */
export async function completeLease(db: Database, lease: Lease, result: ProcessingResult): Promise<boolean> {
  const { sha256 } = result
  return db.$transaction(async (tx) => {
    // Uploads lock photos after it.
    if (sha256) await waitForUploads(tx, lease.photo.userId)
    const [held] = await tx.$queryRaw<(Correctable & Pick<Photo, 'reportFailure'> & { isErased: boolean })[]>`
      SELECT corrected, state, report_failure AS "reportFailure",
        EXISTS (SELECT FROM deleted_users WHERE deleted_users.user_id = photos.user_id) AS "isErased" FROM photos
      WHERE id = ${lease.photo.id} AND lease_id = ${lease.leaseId}::uuid FOR UPDATE`
    if (!held || held.isErased) return false
    const completed = await tx.photo.update({
      where: { id: lease.photo.id },
      data: {
        ...omitCorrectedFields(result, held),
        ...(sha256 && (await releaseClaim(tx, lease.photo, sha256))),
        revision: { increment: 1 },
        leaseId: null,
        leaseUntil: null,
        trace: null,
        reportFailure: false,
      },
    })
    const isFailedUpload = completed.status === 'failed' && completed.purpose === 'gallery' && held.reportFailure
    if (isFailedUpload) await rememberFailedUpload(tx, completed)
    // Only the holder of the lease changes renditions, so they are the same as when the lease was acquired.
    const kept = objectKeysOf(completed)
    const replaced = objectKeysOf(lease.photo).filter((key) => !kept.includes(key))
    await scheduleRemovals(
      tx,
      replaced.map((key) => ({ key, userId: completed.userId })),
    )
    await publishChanged(tx, completed)
    return true
  })
}

/**
 * Frees the hash that a photo wrongly claimed: returns its number among the photos with the real one, and deletes its
 * upload sessions, so that the file can be sent again. The caller holds the lock of the user's uploads.
 */
async function releaseClaim(
  tx: Transaction,
  { id, userId }: Pick<Photo, 'id' | 'userId'>,
  sha256: string,
): Promise<{ copyNumber: number }> {
  await tx.$executeRaw`DELETE FROM upload_sessions WHERE photo_id = ${id}`
  return { copyNumber: await nextCopyNumber(tx, userId, sha256) }
}

/** Finds photos that wait and have no lease, oldest first. */
export function findWaitingPhotos(db: Database, limit: number): Promise<Pick<Photo, 'id' | 'attempts'>[]> {
  return db.$queryRaw`
    SELECT id, attempts FROM photos
    WHERE status = 'processing' AND (lease_until IS NULL OR lease_until < now()) ORDER BY id LIMIT ${limit}`
}
