import type { SqlTransaction } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Folder, Photo } from '../generated/client.ts'
import type { Folders } from '../projection/folders.ts'
import { lockFolders } from './locks.ts'
import { type OwnSetting, settingAfterMove, settingAfterRemoval } from './visibility.ts'

/** The folder of a photo, and its own visibility setting there. */
export type Placement = OwnSetting & { folderId: number | null }

/** Locks the folder of new photos. Null: none was chosen, or it was deleted meanwhile. */
export async function lockFolder(tx: SqlTransaction, folderId: number | null): Promise<Folder | null> {
  const folderOf = await lockFolders(tx, [folderId])
  return existing(folderOf(folderId))
}

function existing(folder: Folder | null): Folder | null {
  return folder?.deleted ? null : folder
}

/**
 * Moves locked photos into a folder, or out of any (null). The returned folder is also null when the folder was deleted
 * meanwhile; the photos then stay where they are.
 */
export async function placeInFolder(
  tx: Transaction,
  photos: Photo[],
  folderId: number | null,
): Promise<{ photos: Photo[]; folder: Folder | null }> {
  const folderOf = await lockFolders(tx, [folderId, ...photos.map((photo) => photo.folderId)])
  const folder = existing(folderOf(folderId))
  if (folderId !== null && !folder) return { photos, folder: null }
  const placed = await applyPlacements(tx, photos, (photo) => {
    if (photo.folderId === folderId) return currentPlacement(photo)
    const from = folderOf(photo.folderId)
    return { folderId, ...(folder ? settingAfterMove(photo, from, folder) : settingAfterRemoval(photo, from)) }
  })
  return { photos: placed, folder }
}

/**
 * Writes new placements, each with its event. Photos that have their placement already stay unchanged. Returns all of
 * the photos in their new state.
 */
export async function applyPlacements(
  tx: Transaction,
  photos: Photo[],
  placementFor: (photo: Photo) => Placement,
): Promise<Photo[]> {
  // There are few distinct placements, so a few statements change all photos.
  const groups = Map.groupBy(photos, (photo) => JSON.stringify(placementFor(photo)))
  const changed = new Map<number, Photo>()
  for (const [text, group] of groups) {
    const placement = JSON.parse(text) as Placement
    const ids = group.filter((photo) => !hasPlacement(photo, placement)).map(({ id }) => id)
    if (ids.length === 0) continue
    const data = { ...placement, revision: { increment: 1 } }
    const rows = await tx.photo.updateManyAndReturn({ where: { id: { in: ids } }, data })
    for (const row of rows) changed.set(row.id, row)
  }
  await publishChanged(tx, ...changed.values())
  return photos.map((photo) => changed.get(photo.id) ?? photo)
}

function hasPlacement(photo: Photo, placement: Placement): boolean {
  return (Object.keys(placement) as (keyof Placement)[]).every((key) => photo[key] === placement[key])
}

function currentPlacement({ folderId, ownIsPublic, ownVisibilityRevision, privateByChoice }: Photo): Placement {
  return { folderId, ownIsPublic, ownVisibilityRevision, privateByChoice }
}

/**
 * Updates the projection of the target folder when a photo that the user made private moves into it. Such a photo stays
 * private by a mark at the folder's current revision; with a projection that lags behind a flip the mark would not
 * count.
 * @throws AppError 503
 */
export async function refreshForPrivatePhotos(
  folders: Folders,
  photos: Photo[],
  folderId: number | null,
): Promise<void> {
  if (folderId !== null && photos.some((photo) => photo.privateByChoice)) await folders.refresh([folderId])
}
