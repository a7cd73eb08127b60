import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import { keysOf } from '../files/objects.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { type Correctable, withoutCorrected } from '../photos/corrected.ts'

/** Columns of a photo that waits as if it had just come. Its renditions stay until new ones replace them. */
export const WAITING = {
  status: 'processing',
  statusMessage: null,
  attempts: 0,
  leaseId: null,
  leaseUntil: null,
} as const

/** Columns of a photo whose original is not in the store. */
export const LOST = { status: 'failed', statusMessage: 'The original file is missing.' } as const

export interface Lease {
  photo: Photo
  leaseId: string
}

/**
 * Takes a photo to process for `seconds`. Null when there is nothing to do: it is processed or deleted, or another
 * worker is at it. Counts as an attempt.
 */
export async function takeLease(db: Database, photoId: number, seconds: number): Promise<Lease | null> {
  const leaseId = randomUUID()
  const taken = await db.$executeRaw`
    UPDATE photos SET attempts = attempts + 1, lease_id = ${leaseId}::uuid,
      lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${photoId} AND status = 'processing' AND (lease_until IS NULL OR lease_until < now())`
  if (taken === 0) return null
  const photo = await db.photo.findFirst({ where: { id: photoId, leaseId } })
  return photo && { photo, leaseId }
}

/**
 * The photo whose turn it is: the oldest of the user who has the fewest in work, of several such users one by chance.
 * So who has many waiting makes nobody else wait for all of them, and every worker may choose by itself. Users are
 * stepped through by the index, whatever the number of their photos.
 */
async function nextPhoto(db: Database): Promise<number | null> {
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

/** Takes the photo whose turn it is for `seconds`. Null when none waits. Counts as an attempt. */
export async function takeNext(db: Database, seconds: number): Promise<Lease | null> {
  for (let id = await nextPhoto(db); id !== null; id = await nextPhoto(db)) {
    const lease = await takeLease(db, id, seconds)
    if (lease) return lease
    // Another worker was faster.
  }
  return null
}

/** Keeps the lease for `seconds` more. */
export async function renewLease(db: Database, { photo, leaseId }: Lease, seconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE photos SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${photo.id} AND lease_id = ${leaseId}::uuid`
}

/** Gives the photo back, to be taken again in `seconds`. `uncounted` when the attempt says nothing about the photo. */
export async function returnLease(
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
 * Ends the processing with its result and its event; renditions that it replaces are to be removed. What the owner
 * corrected, also meanwhile, stays. False when the lease was lost: then another worker's result counts, or the photo is
 * gone.
 */
export async function settleLease(
  db: Database,
  lease: Lease,
  result: Prisma.PhotoUpdateManyMutationInput,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [held] = await tx.$queryRaw<Correctable[]>`
      SELECT corrected, state FROM photos WHERE id = ${lease.photo.id} AND lease_id = ${lease.leaseId}::uuid FOR UPDATE`
    if (!held) return false
    const settled = await tx.photo.update({
      where: { id: lease.photo.id },
      data: {
        ...withoutCorrected(result, held),
        revision: { increment: 1 },
        leaseId: null,
        leaseUntil: null,
        trace: null,
      },
    })
    // Only a lease's holder makes renditions, so they are as they were when it was taken.
    const kept = keysOf(settled)
    const replaced = keysOf(lease.photo).filter((key) => !kept.includes(key))
    await tx.objectRemoval.createMany({ data: replaced.map((key) => ({ key })), skipDuplicates: true })
    await publishChanged(tx, settled)
    return true
  })
}

/** Photos that wait and have nobody at them, the oldest first. */
export function waitingPhotos(db: Database, limit: number): Promise<Pick<Photo, 'id' | 'attempts'>[]> {
  return db.$queryRaw`
    SELECT id, attempts FROM photos
    WHERE status = 'processing' AND (lease_until IS NULL OR lease_until < now()) ORDER BY id LIMIT ${limit}`
}
