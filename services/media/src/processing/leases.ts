import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import { objectKeysOf } from '../files/object-keys.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { type Correctable, omitCorrectedFields } from '../photos/corrected-fields.ts'
import { rememberFailedUpload } from '../photos/failed-uploads.ts'

export interface Lease {
  photo: Photo
  leaseId: string
}

/** Acquires a lease on the next photo for `seconds` and counts an attempt. Returns null when none waits. */
export async function acquireNextLease(db: Database, seconds: number): Promise<Lease | null> {
  for (let id = await findNextPhoto(db); id !== null; id = await findNextPhoto(db)) {
    const lease = await acquireLease(db, id, seconds)
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

/**
 * Selects the next photo: the oldest of the user with the fewest photos in work, at random among such users. So a user
 * with many waiting photos does not delay the others by all of them, and each worker can select by itself. The query
 * steps through users by the index, whatever the number of their photos.
 */
async function findNextPhoto(db: Database): Promise<number | null> {
  const [next] = await db.$queryRaw<{ id: number }[]>`
    WITH RECURSIVE users AS (
      SELECT min(user_id) AS id FROM photos WHERE status = 'processing'
      UNION ALL
      SELECT (SELECT min(user_id) FROM photos WHERE status = 'processing' AND user_id > users.id)
      FROM users WHERE users.id IS NOT NULL
    )
    SELECT waiting.id FROM users CROSS JOIN LATERAL (
      SELECT id FROM photos
      WHERE user_id = users.id AND status = 'processing' AND (lease_until IS NULL OR lease_until < now())
      ORDER BY id LIMIT 1
    ) AS waiting
    ORDER BY (
      SELECT count(*) FROM photos WHERE user_id = users.id AND lease_id IS NOT NULL AND lease_until >= now()
    ), random() LIMIT 1`
  return next?.id ?? null
}

/** Extends the lease by `seconds` from now. */
export async function renewLease(db: Database, { photo, leaseId }: Lease, seconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE photos SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${photo.id} AND lease_id = ${leaseId}::uuid`
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

/**
 * Saves the result of processing with its event, and schedules the removal of replaced renditions. Corrections of the
 * owner, also those made meanwhile, are kept. Returns false when the lease was lost: another worker's result counts, or
 * the photo was deleted.
 */
export async function completeLease(
  db: Database,
  lease: Lease,
  result: Prisma.PhotoUpdateManyMutationInput,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [held] = await tx.$queryRaw<(Correctable & Pick<Photo, 'reportFailure'>)[]>`
      SELECT corrected, state, report_failure AS "reportFailure" FROM photos
      WHERE id = ${lease.photo.id} AND lease_id = ${lease.leaseId}::uuid FOR UPDATE`
    if (!held) return false
    const completed = await tx.photo.update({
      where: { id: lease.photo.id },
      data: {
        ...omitCorrectedFields(result, held),
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
    await tx.objectRemoval.createMany({ data: replaced.map((key) => ({ key })), skipDuplicates: true })
    await publishChanged(tx, completed)
    return true
  })
}

/** Finds photos that wait and have no lease, oldest first. */
export function findWaitingPhotos(db: Database, limit: number): Promise<Pick<Photo, 'id' | 'attempts'>[]> {
  return db.$queryRaw`
    SELECT id, attempts FROM photos
    WHERE status = 'processing' AND (lease_until IS NULL OR lease_until < now()) ORDER BY id LIMIT ${limit}`
}
