import { onEvent, type PhotoDeletion, sqlOf } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Pool } from 'pg'
import type { Database, Transaction } from './database.ts'
import { addMissingTitle, detachPhoto } from './orders/order-photos.ts'
import { savePhoto, tombstonePhoto } from './projection/photos.ts'
import { beginErasure } from './users/begin-erasure.ts'

// What the service publishes is in orders/order-events.ts.

/** The durable consumer that all replicas share. */
export const DURABLE = 'print-orders'

/**
 * With what each event is handled in transactions of its own. Each photo brings several events, of which few concern an order:
 * those take one statement of the pool.
 */
export interface EventDeps {
  db: Database
  pool: Pool
  /** Called after commits that may have written events. */
  onCommit(): void
}

/** The handlers that maintain the projection of photos and begin the erasure of deleted users. */
export const eventHandlers = [
  onEvent(events.photoChanged, async ({ photo, revision }, { db, pool, onCommit }: EventDeps) => {
    if (!photo) throw new Error('media.photo.changed without a photo')
    const { isAwaited } = await savePhoto(sqlOf(pool), photo, revision)
    if (!isAwaited) return
    await db.$transaction((tx) => addMissingTitle(tx, photo.id))
    onCommit()
  }),
  onEvent(events.photoDeleted, async (event, { db, onCommit }: EventDeps) => {
    await db.$transaction((tx) => deletePhoto(tx, event))
    onCommit()
  }),
  onEvent(events.userDeleted, async ({ userId }, { db, onCommit }: EventDeps) => {
    await db.$transaction((tx) => beginErasure(tx, userId))
    onCommit()
  }),
]

/** Replaces a photo by a tombstone; orders keep its title and lose the link. */
export async function deletePhoto(tx: Transaction, { photoId, userId, revision }: PhotoDeletion): Promise<void> {
  const isNew = await tombstonePhoto(tx, photoId, userId, revision)
  if (isNew) await detachPhoto(tx, photoId)
}
