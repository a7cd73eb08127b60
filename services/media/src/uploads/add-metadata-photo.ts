import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { lockForAdding } from '../erasure/tombstone.ts'
import { originalKey } from '../files/object-keys.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { Photo } from '../generated/client.ts'
import type { Upload } from './add-photos.ts'
import { keepOriginals } from './keep-originals.ts'
import { selectFitting } from './quota-check.ts'
import type { StoredOriginal } from './store-original.ts'
import { titleOf } from './upload-form.ts'

interface MetadataUpload {
  userId: number
  original: StoredOriginal
  /** Bytes that the user's photos may take; null: any number. */
  limit: number | null
  /** Called before the commit, with the new photo by its SHA-256 if there is one. What it throws rolls the transaction back. */
  inTransaction?: Upload['inTransaction']
}

/**
 * Creates a photo of the metadata screen from a stored original, without looking for duplicates. There is no photo when it
 * does not fit into the quota. @throws AppError 404 when the user was deleted, 503
 */
export async function addMetadataPhoto(
  db: Database,
  store: ObjectStore,
  { userId, original, limit, inTransaction }: MetadataUpload,
): Promise<{ photo: Photo | null; used: number }> {
  return db.$transaction(async (tx) => {
    await keepOriginals(tx, store, [original])
    await lockForAdding(tx, 'uploads', userId)
    const { fitting, used } = await selectFitting(tx, userId, limit, [original])
    if (fitting.length === 0) {
      if (original.sha256Verified) await scheduleRemovals(tx, [{ key: originalKey(original.filename), userId }])
      await inTransaction?.(tx, new Map())
      return { photo: null, used }
    }
    const photo = await tx.photo.create({
      data: {
        ...original,
        userId,
        title: titleOf(original.originalName),
        purpose: 'metadata',
        ownIsPublic: false,
        privateByChoice: true,
      },
    })
    await inTransaction?.(tx, new Map([[photo.sha256, photo]]))
    return { photo, used }
  })
}
