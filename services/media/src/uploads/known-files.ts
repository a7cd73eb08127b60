import type { ObjectStore } from '@skyfolio/kit'
import type pg from 'pg'
import { hasOriginal } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import { WRONG_FILE } from '../photos/status.ts'

/** Concurrent HEAD requests: enough to hide the store's latency, few enough for its connections. */
const CONCURRENT_HEADS = 25

/**
 * Returns the user's photos of these files, as photo ids by hash. Photos whose original is missing or not verified, and
 * those that failed since another file had been announced, are left out: their file must be sent again.
 */
export async function findKnownFiles(
  pool: pg.Pool,
  store: ObjectStore,
  userId: number,
  hashes: string[],
): Promise<Record<string, number>> {
  // Of several copies the last one in this order is returned: the first copy.
  const { rows: photos } = await pool.query<Pick<Photo, 'id' | 'sha256' | 'filename' | 'filesize'>>({
    name: 'known-files',
    text: `SELECT id, sha256, filename, filesize FROM photos
      WHERE user_id = $1 AND sha256 = ANY ($2::text[]) AND purpose = 'gallery' AND sha256_verified
        AND status_message IS DISTINCT FROM $3
      ORDER BY copy_number DESC`,
    values: [userId, hashes, WRONG_FILE.statusMessage],
  })
  const known: Record<string, number> = {}
  for (let start = 0; start < photos.length; start += CONCURRENT_HEADS) {
    const batch = photos.slice(start, start + CONCURRENT_HEADS)
    const exist = await Promise.all(batch.map((photo) => hasOriginal(store, photo)))
    for (const [index, photo] of batch.entries()) if (exist[index]) known[photo.sha256] = photo.id
  }
  return known
}
