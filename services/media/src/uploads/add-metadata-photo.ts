import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { claimOriginals } from './claim-originals.ts'
import type { StoredOriginal } from './store-original.ts'
import { titleOf } from './upload-form.ts'

/** Creates a photo of the metadata screen from a stored original, without looking for duplicates. @throws AppError 503 */
export async function addMetadataPhoto(
  db: Database,
  store: ObjectStore,
  userId: number,
  original: StoredOriginal,
): Promise<Photo> {
  return db.$transaction(async (tx) => {
    await claimOriginals(tx, store, [original])
    return tx.photo.create({
      data: {
        ...original,
        userId,
        title: titleOf(original.originalName),
        purpose: 'metadata',
        ownIsPublic: false,
        privateByChoice: true,
      },
    })
  })
}
