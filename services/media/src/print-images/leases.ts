import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { originalKey, printImageKey } from '../files/object-keys.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { PrintImage, Prisma } from '../generated/client.ts'

export interface PrintLease {
  image: PrintImage
  leaseId: string
}

/** Acquires a lease on the next image for `seconds` and counts an attempt. Returns null when none waits. */
export async function acquireNextPrintLease(db: Database, seconds: number): Promise<PrintLease | null> {
  for (let id = await findNextImage(db); id !== null; id = await findNextImage(db)) {
    const lease = await acquireLease(db, id, seconds)
    if (lease) return lease
    // Another worker was faster.
  }
  return null
}

async function acquireLease(db: Database, id: string, seconds: number): Promise<PrintLease | null> {
  const leaseId = randomUUID()
  const acquired = await db.$executeRaw`
    UPDATE print_images SET attempts = attempts + 1, lease_id = ${leaseId}::uuid,
      lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${id} AND status = 'rendering' AND (lease_until IS NULL OR lease_until < now())`
  if (acquired === 0) return null
  const image = await db.printImage.findFirst({ where: { id, leaseId } })
  return image && { image, leaseId }
}

/** Selects the next image as leases of photos do: the oldest of the user with the fewest in work. */
async function findNextImage(db: Database): Promise<string | null> {
  const [next] = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE users AS (
      SELECT min(user_id) AS id FROM print_images WHERE status = 'rendering'
      UNION ALL
      SELECT (SELECT min(user_id) FROM print_images WHERE status = 'rendering' AND user_id > users.id)
      FROM users WHERE users.id IS NOT NULL
    )
    SELECT waiting.id FROM users CROSS JOIN LATERAL (
      SELECT id FROM print_images
      WHERE user_id = users.id AND status = 'rendering' AND (lease_until IS NULL OR lease_until < now())
      ORDER BY created_at, id LIMIT 1
    ) AS waiting
    ORDER BY (
      SELECT count(*) FROM print_images
      WHERE user_id = users.id AND status = 'rendering' AND lease_id IS NOT NULL AND lease_until >= now()
    ), random() LIMIT 1`
  return next?.id ?? null
}

/** Extends the lease by `seconds` from now. */
export async function renewPrintLease(db: Database, { image, leaseId }: PrintLease, seconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE print_images SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${image.id} AND lease_id = ${leaseId}::uuid`
}

/** Releases the lease, with a retry in `seconds`. `uncounted` when the failure was not the image's fault. */
export async function releasePrintLease(
  db: Database,
  { image, leaseId }: PrintLease,
  seconds: number,
  uncounted: boolean,
): Promise<void> {
  await db.$executeRaw`
    UPDATE print_images SET lease_id = NULL, lease_until = now() + make_interval(secs => ${seconds}),
      attempts = attempts - ${uncounted ? 1 : 0}
    WHERE id = ${image.id} AND lease_id = ${leaseId}::uuid`
}

/**
 * Saves the result, and schedules the removal of an upload's original, which nobody needs any more. Returns false when
 * the lease was lost, or the image was deleted; then its object is removed unless another worker's result uses it.
 */
export async function completePrintLease(
  db: Database,
  { image, leaseId }: PrintLease,
  result: Prisma.PrintImageUncheckedUpdateManyInput,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const data = { ...result, source: null, sourceBytes: null, leaseId: null, leaseUntil: null, trace: null }
    const { count } = await tx.printImage.updateMany({ where: { id: image.id, leaseId, status: 'rendering' }, data })
    const keys = count === 0 ? [printImageKey(image.id)] : image.source ? [originalKey(image.source)] : []
    await scheduleRemovals(
      tx,
      keys.map((key) => ({ key, userId: image.userId })),
    )
    return count > 0
  })
}

/** Finds images that wait and have no lease, oldest first. */
export function findWaitingImages(db: Database, limit: number): Promise<Pick<PrintImage, 'id' | 'attempts'>[]> {
  return db.$queryRaw`
    SELECT id, attempts FROM print_images
    WHERE status = 'rendering' AND (lease_until IS NULL OR lease_until < now()) ORDER BY created_at LIMIT ${limit}`
}
