import { notFound, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { keysOf } from '../files/objects.ts'
import type { Photo } from '../generated/client.ts'
import { adopt } from './add-photos.ts'
import type { StoredOriginal } from './receive.ts'
import { titleOf } from './upload-form.ts'

// Photos of the metadata screen: private, in no gallery, folder or share, and no event tells of them.

const PURPOSE = 'metadata'
/** The screen shows recent ones. */
const MAX_LISTED = 500
const BATCH = 200

/** Makes a photo of a stored original; an equal one may be there already. @throws AppError 503 */
export async function addMetadataPhoto(
  db: Database,
  store: ObjectStore,
  userId: number,
  original: StoredOriginal,
): Promise<Photo> {
  return db.$transaction(async (tx) => {
    await adopt(tx, store, [original])
    const isPrivate = { ownIsPublic: false, privateByChoice: true }
    const title = titleOf(original.originalName)
    return tx.photo.create({ data: { ...original, userId, title, purpose: PURPOSE, ...isPrivate } })
  })
}

/** The user's last ones, the newest first, without their tags. */
export async function listMetadataPhotos(db: Database, userId: number): Promise<Omit<Photo, 'tags'>[]> {
  return db.photo.findMany({
    where: { userId, purpose: PURPOSE },
    omit: { tags: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_LISTED,
  })
}

/** One of them with its tags. @throws AppError 404 */
export async function readMetadataPhoto(db: Database, userId: number, id: number): Promise<Photo> {
  const photo = await db.photo.findFirst({ where: { id, userId, purpose: PURPOSE } })
  if (!photo) throw notFound('Photo not found')
  return photo
}

/** Deletes all of them and gives their number. The worker removes their bytes from the store. */
export async function deleteMetadataPhotos(db: Database, userId: number): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await deleteSome(db, userId)
    count += deleted
    if (deleted < BATCH) return count
  }
}

async function deleteSome(db: Database, userId: number): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos WHERE user_id = ${userId} AND purpose = ${PURPOSE} ORDER BY id LIMIT ${BATCH} FOR UPDATE`
    const where = { id: { in: locked.map(({ id }) => id) } }
    const photos = await tx.photo.findMany({ where, select: { filename: true, thumbnail: true, preview: true } })
    await tx.photo.deleteMany({ where })
    const removals = photos.flatMap(keysOf).map((key) => ({ key }))
    await tx.objectRemoval.createMany({ data: removals, skipDuplicates: true })
    return photos.length
  })
}
