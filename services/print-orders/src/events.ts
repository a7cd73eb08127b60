import { onEvent, type PhotoDeletion } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Transaction } from './database.ts'
import { addMissingTitle, detachPhoto, savePhoto, tombstonePhoto } from './projection/photos.ts'
import { beginErasure } from './users/erasure.ts'

// What the service publishes is in orders/order-events.ts.

/** The durable consumer that all replicas share. */
export const DURABLE = 'print-orders'

/** The handlers that maintain the projection of photos and begin the erasure of deleted users. */
export const eventHandlers = [
  onEvent(events.photoChanged, async ({ photo, revision }, tx: Transaction) => {
    if (!photo) throw new Error('media.photo.changed without a photo')
    await savePhoto(tx, photo, revision)
    await addMissingTitle(tx, photo.id)
  }),
  onEvent(events.photoDeleted, (event, tx: Transaction) => deletePhoto(tx, event)),
  onEvent(events.userDeleted, ({ userId }, tx: Transaction) => beginErasure(tx, userId)),
]

/** Replaces a photo by a tombstone; orders keep its title and lose the link. */
export async function deletePhoto(tx: Transaction, { photoId, userId, revision }: PhotoDeletion): Promise<void> {
  const isNew = await tombstonePhoto(tx, photoId, userId, revision)
  if (isNew) await detachPhoto(tx, photoId)
}
