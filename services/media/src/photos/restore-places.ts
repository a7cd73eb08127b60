import { notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type Folders, loadFoldersOf } from '../projection/folders.ts'
import { lockOwnPhotos } from './locks.ts'
import { applyPlacements, lockFolder } from './placement.ts'
import { isPublic, settingBefore, staysPrivate } from './visibility.ts'

/** The folder of a photo and its visibility there. */
export interface PhotoPlace {
  folderId: number | null
  isPublic: boolean
  /** The user made it private. */
  privateByChoice: boolean
}

/** Returns the places of the user's photos among these, which undoing a change restores. */
export async function placesOf(db: Database, ids: number[], userId: number): Promise<(PhotoPlace & { id: number })[]> {
  const photos = await db.photo.findMany({
    where: { id: { in: ids }, userId },
    // Not the metadata, which are most of a row.
    select: { id: true, folderId: true, ownIsPublic: true, ownVisibilityRevision: true, privateByChoice: true },
  })
  const folders = await loadFoldersOf(db, photos)
  return photos.map((photo) => {
    const folder = folders.get(photo.folderId ?? 0) ?? null
    return {
      id: photo.id,
      folderId: folder?.deleted ? null : photo.folderId,
      isPublic: isPublic(photo, folder),
      privateByChoice: staysPrivate(photo, folder),
    }
  })
}

/**
 * Puts the user's photos among these back to where they were, and returns them. A visibility that is the folder's follows it
 * again.
 * @throws AppError 404 for a folder that is not the user's or was deleted, 503
 */
export async function restorePlaces(
  db: Database,
  folders: Folders,
  ids: number[],
  { userId, place }: { userId: number; place: PhotoPlace },
): Promise<Photo[]> {
  const { folderId } = place
  if (folderId !== null) {
    await folders.findOwn(folderId, userId)
    await folders.refresh([folderId])
  }
  return db.$transaction(async (tx) => {
    const own = await lockOwnPhotos(tx, ids, userId)
    const folder = await lockFolder(tx, folderId)
    if (folderId !== null && !folder) throw notFound('Folder not found')
    return applyPlacements(tx, own, () => ({ folderId, ...settingBefore(place, folder) }))
  })
}
