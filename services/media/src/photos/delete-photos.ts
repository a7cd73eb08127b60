import { type AuditEntry, type Identity, recordAudit, requireRecentPassword } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import { publishDeleted } from '../events.ts'
import { objectKeysOf } from '../files/object-keys.ts'
import { scheduleRemovals, type UnusedObject, unusedObjects } from '../files/object-removals.ts'
import type { Photo } from '../generated/client.ts'
import { lockGalleryPhotos, lockOwnPhotos } from './locks.ts'

/** The user who requests a change. */
export interface Actor extends Pick<Identity, 'confirmedAt'> {
  userId: number
  isAdmin: boolean
}

/** What a deletion needs of a photo. */
type DeletedPhoto = Omit<Photo, 'metadata' | 'tags'>

/**
 * Deletes the user's photos among these (an administrator's request deletes anybody's) and returns them. Their bytes are
 * no longer served; the worker removes them from the store. Deletions of others' photos are recorded with them.
 * @throws AppError 403 for others' photos, when the administrator has not entered the password of late
 */
export async function deletePhotos(db: Database, ids: number[], actor: Actor): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const photos = actor.isAdmin ? await lockGalleryPhotos(tx, ids) : await lockOwnPhotos(tx, ids, actor.userId)
    const foreign = photos.filter(({ userId }) => userId !== actor.userId)
    if (foreign.length > 0) requireRecentPassword(actor)
    await deleteLocked(tx, photos)
    await recordAudit(tx, events.mediaAuditRecorded, ...foreign.map((photo) => deletionEntry(photo, actor)))
    return photos
  })
}

/**
 * For a deletion in several transactions: finds out before the first one what `deletePhotos` would find out in a later one.
 * @throws AppError 403 as `deletePhotos`
 */
export async function requireMayDelete(db: Database, ids: number[], actor: Actor): Promise<void> {
  if (!actor.isAdmin) return
  const foreign = { id: { in: ids }, userId: { not: actor.userId }, purpose: 'gallery' }
  if (await db.photo.findFirst({ where: foreign, select: { id: true } })) requireRecentPassword(actor)
}

/** Deletes locked photos. */
export async function deleteLocked(tx: Transaction, photos: DeletedPhoto[]): Promise<void> {
  await tx.photo.deleteMany({ where: { id: { in: photos.map(({ id }) => id) } } })
  await scheduleRemovals(tx, photos.flatMap(unusedObjectsOf))
  await publishDeleted(tx, ...photos)
}

function unusedObjectsOf(photo: DeletedPhoto): UnusedObject[] {
  return unusedObjects(photo.userId, objectKeysOf(photo))
}

function deletionEntry({ id, userId }: Photo, actor: Actor): AuditEntry {
  return { actorId: actor.userId, action: 'photo.deleted', ownerId: userId, subjectId: id }
}
