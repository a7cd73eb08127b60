import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import type { Lease } from './leases.ts'

// The conditions are those of the index photos_lack_sizes; a parameter instead of the 2 would not use it.

/**
 * Acquires a lease on the newest photo with an id below `before` that lacks sizes, and counts an attempt. Returns null
 * when there is none; with `onlyWhenIdle`, also while a photo waits for processing. What processing does to a photo
 * (reprocessing, deletion, erasure) respects this lease, or ends it, as it does its own.
 */
export async function acquireBackfillLease(
  db: Database,
  seconds: number,
  { before, onlyWhenIdle }: { before: number; onlyWhenIdle: boolean },
): Promise<Lease | null> {
  const leaseId = randomUUID()
  // Without `lease_until` no earlier attempt has failed or was killed: `attempts` are those of the processing then.
  const [acquired] = await db.$queryRaw<{ id: number }[]>`
    UPDATE photos SET attempts = CASE WHEN lease_until IS NULL THEN 1 ELSE attempts + 1 END, lease_id = ${leaseId}::uuid,
      lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = (
      SELECT id FROM photos
      WHERE rendition_set < 2 AND status = 'ready' AND id < ${before} AND (lease_until IS NULL OR lease_until < now())
        AND NOT (${onlyWhenIdle} AND EXISTS (
          SELECT FROM photos WHERE status = 'processing' AND (lease_until IS NULL OR lease_until < now())
        ))
      ORDER BY id DESC LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id`
  if (!acquired) return null
  const photo = await db.photo.findFirst({ where: { id: acquired.id, leaseId } })
  return photo && { photo, leaseId }
}

/** Ends the lease of a photo that has, or can have, no further sizes. Nothing that others see changes: no event. */
export async function completeWithoutSizes(db: Database, { photo, leaseId }: Lease): Promise<void> {
  await db.$executeRaw`
    UPDATE photos SET rendition_set = 2, lease_id = NULL, lease_until = NULL
    WHERE id = ${photo.id} AND lease_id = ${leaseId}::uuid`
}

/** Counts the photos that lack sizes, up to `limit`. */
export async function countLackingSizes(db: Database, limit: number): Promise<number> {
  const [found] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int FROM (
      SELECT FROM photos WHERE rendition_set < 2 AND status = 'ready' LIMIT ${limit}
    ) AS counted`
  return found?.count ?? 0
}
