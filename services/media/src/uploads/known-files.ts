import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/objects.ts'
import type { Photo } from '../generated/client.ts'

/** Heads at the same time: enough to hide the store's latency, few enough for its connections. */
const HEADS = 25

/** Whether the store holds the photo's original whole. */
export async function hasOriginal(store: ObjectStore, photo: Pick<Photo, 'filename' | 'filesize'>): Promise<boolean> {
  const head = await store.head(originalKey(photo.filename))
  return head?.size === photo.filesize
}

/**
 * Which of these files the user has a photo of, as photo ids by hash. A photo whose original is lost does not count:
 * its file is to be sent again.
 */
export async function knownFiles(
  db: Database,
  store: ObjectStore,
  userId: number,
  hashes: string[],
): Promise<Record<string, number>> {
  const photos = await db.photo.findMany({
    where: { userId, sha256: { in: hashes }, purpose: 'gallery' },
    select: { id: true, sha256: true, filename: true, filesize: true },
    // The last one of a hash is named: the first copy.
    orderBy: { copyNumber: 'desc' },
  })
  const known: Record<string, number> = {}
  for (let at = 0; at < photos.length; at += HEADS) {
    const some = photos.slice(at, at + HEADS)
    const whole = await Promise.all(some.map((photo) => hasOriginal(store, photo)))
    for (const [index, photo] of some.entries()) if (whole[index]) known[photo.sha256] = photo.id
  }
  return known
}
