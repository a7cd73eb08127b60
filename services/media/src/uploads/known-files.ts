import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { hasOriginal } from '../files/object-keys.ts'
import { WRONG_FILE } from '../photos/status.ts'

/** Concurrent HEAD requests: enough to hide the store's latency, few enough for its connections. */
const CONCURRENT_HEADS = 25

/**
 * Returns the user's photos of these files, as photo ids by hash. Photos whose original is missing or not verified, and
 * those that failed since another file had been announced, are left out: their file must be sent again.
 */
export async function findKnownFiles(
  db: Database,
  store: ObjectStore,
  userId: number,
  hashes: string[],
): Promise<Record<string, number>> {
  const found = await db.photo.findMany({
    where: { userId, sha256: { in: hashes }, purpose: { not: 'metadata' }, sha256Verified: true },
    select: { id: true, sha256: true, filename: true, filesize: true, statusMessage: true },
    // Of several copies the last one in this order is returned: the first copy.
    orderBy: { copyNumber: 'desc' },
  })
  const photos = found.filter(({ statusMessage }) => statusMessage !== WRONG_FILE.statusMessage)
  const known: Record<string, number> = {}
  for (let start = 0; start < photos.length; start += CONCURRENT_HEADS) {
    const batch = photos.slice(start, start + CONCURRENT_HEADS)
    const exist = await Promise.all(batch.map((photo) => hasOriginal(store, photo)))
    for (const [index, photo] of batch.entries()) if (exist[index]) known[photo.sha256] = photo.id
  }
  return known
}
