import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import { claimOriginals } from './claim-originals.ts'
import { lockUploads, selectFitting } from './quota-check.ts'
import type { StoredOriginal } from './store-original.ts'
import { titleOf } from './upload-form.ts'

interface MetadataUpload {
  userId: number
  original: StoredOriginal
  /** Bytes that the user's photos may take; null: any number. */
  limit: number | null
}

/**
 * Creates a photo of the metadata screen from a stored original, without looking for duplicates. There is no photo when it
 * does not fit into the quota. @throws AppError 503
 */
export async function addMetadataPhoto(
  db: Database,
  store: ObjectStore,
  { userId, original, limit }: MetadataUpload,
): Promise<{ photo: Photo | null; used: number }> {
  return db.$transaction(async (tx) => {
    await claimOriginals(tx, store, [original])
    if (limit !== null) await lockUploads(tx, userId)
    const { fitting, used } = await selectFitting(tx, userId, limit, [original])
    if (fitting.length === 0) {
      await tx.objectRemoval.createMany({ data: [{ key: originalKey(original.filename) }], skipDuplicates: true })
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
    return { photo, used }
  })
}
