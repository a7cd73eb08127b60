import { notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { OBJECT_NAMES, objectKeysOf } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Photo } from '../generated/client.ts'

// Photos of the metadata screen: private, in no gallery, folder or share, and without events.

/** The screen shows recent photos only. */
const MAX_LISTED = 500
const BATCH = 200

/** Lists the user's most recent metadata photos, newest first, without their tags. */
export async function listMetadataPhotos(db: Database, userId: number): Promise<Omit<Photo, 'tags'>[]> {
  return db.photo.findMany({
    where: { userId, purpose: 'metadata' },
    omit: { tags: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_LISTED,
  })
}

/** Reads one of the user's metadata photos with its tags. @throws AppError 404 */
export async function readMetadataPhoto(db: Database, userId: number, id: number): Promise<Photo> {
  const photo = await db.photo.findFirst({ where: { id, userId, purpose: 'metadata' } })
  if (!photo) throw notFound('Photo not found')
  return photo
}

/** Deletes all metadata photos of the user and returns their number. The worker removes their bytes from the store. */
export async function deleteMetadataPhotos(db: Database, userId: number): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await deleteBatch(db, userId)
    count += deleted
    if (deleted < BATCH) return count
  }
}

async function deleteBatch(db: Database, userId: number): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos WHERE user_id = ${userId} AND purpose = 'metadata' ORDER BY id LIMIT ${BATCH} FOR UPDATE`
    const where = { id: { in: locked.map(({ id }) => id) } }
    const photos = await tx.photo.findMany({ where, select: OBJECT_NAMES })
    await tx.photo.deleteMany({ where })
    const keys = photos.flatMap(objectKeysOf)
    await scheduleRemovals(tx, unusedObjects(userId, keys))
    return photos.length
  })
}
