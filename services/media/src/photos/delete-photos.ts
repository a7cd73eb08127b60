import type { Database } from '../database.ts'
import { publishDeleted } from '../events.ts'
import { objectKeysOf } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import { lockGalleryPhotos, lockOwnPhotos } from './locks.ts'

/** The user who requests a change. */
export interface Actor {
  userId: number
  isAdmin: boolean
}

/**
 * Deletes the user's photos among these (an administrator's request deletes anybody's) and returns them. Their bytes are
 * no longer served; the worker removes them from the store.
 */
export async function deletePhotos(db: Database, ids: number[], actor: Actor): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const photos = actor.isAdmin ? await lockGalleryPhotos(tx, ids) : await lockOwnPhotos(tx, ids, actor.userId)
    await tx.photo.deleteMany({ where: { id: { in: photos.map(({ id }) => id) } } })
    const removals = photos.flatMap(objectKeysOf).map((key) => ({ key }))
    await tx.objectRemoval.createMany({ data: removals, skipDuplicates: true })
    await publishDeleted(tx, ...photos)
    return photos
  })
}
