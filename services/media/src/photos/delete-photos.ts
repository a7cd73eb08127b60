import { type AuditEntry, type Identity, recordAudit, requireRecentPassword } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import { publishDeleted } from '../events.ts'
import { objectKeysOf } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { lockGalleryPhotos } from './locks.ts'
import { endPairs } from './pairs.ts'

/** The user who requests a change. */
export interface Actor extends Pick<Identity, 'confirmedAt'> {
  userId: number
  isAdmin: boolean
}

/** What a deletion needs of a photo. */
type DeletedPhoto = Omit<Photo, 'metadata' | 'tags'>

/**
 * Deletes the user's photos among these (an administrator's request deletes anybody's), of a pair both files unless the raw one
 * alone is named, and returns them. Their bytes are no longer served; the worker removes them from the store. Deletions of
 * others' photos are recorded with them.
 * @throws AppError 403 for others' photos, when the administrator has not entered the password of late
 */
export async function deletePhotos(db: Database, ids: number[], actor: Actor): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const locked = await lockGalleryPhotos(tx, ids, actor.isAdmin ? null : actor.userId)
    const named = new Set(ids)
    const photos = locked.filter(({ id, purpose, pairedWith }) => {
      return named.has(id) || (purpose === 'raw' && named.has(pairedWith ?? 0))
    })
    const foreign = photos.filter(({ userId }) => userId !== actor.userId)
    if (foreign.length > 0) requireRecentPassword(actor)
    await deleteLocked(tx, photos)
    const left = locked.filter((photo) => !photos.includes(photo))
    await endPairs(tx, left, false)
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
  const foreign = { id: { in: ids }, userId: { not: actor.userId }, purpose: { not: 'metadata' } }
  if (await db.photo.findFirst({ where: foreign, select: { id: true } })) requireRecentPassword(actor)
}

/** Deletes those photos of a user that fulfil a condition, `most` of them at a time. Returns their number. */
export async function deleteSome(db: Database, condition: Prisma.Sql, most: number): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos WHERE ${condition} ORDER BY id LIMIT ${most} FOR UPDATE`
    const where = { id: { in: locked.map(({ id }) => id) } }
    await deleteLocked(
      tx,
      await tx.photo.findMany({ where, omit: { metadata: true, tags: true }, orderBy: { id: 'asc' } }),
    )
    return locked.length
  })
}

async function deleteLocked(tx: Transaction, photos: DeletedPhoto[]): Promise<void> {
  await tx.photo.deleteMany({ where: { id: { in: photos.map(({ id }) => id) } } })
  const objects = photos.flatMap((photo) => unusedObjects(photo.userId, objectKeysOf(photo)))
  await scheduleRemovals(tx, objects)
  await publishDeleted(tx, ...photos)
}

function deletionEntry({ id, userId }: Photo, actor: Actor): AuditEntry {
  return { actorId: actor.userId, action: 'photo.deleted', ownerId: userId, subjectId: id }
}
