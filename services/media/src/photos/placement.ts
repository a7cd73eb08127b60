import { Nullable, notFound } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Folder, Photo } from '../generated/client.ts'
import { type Folders, loadFoldersOf } from '../projection/folders.ts'
import { eitherOf, lockFolders, lockGalleryPhotos, lockPhotos } from './locks.ts'
import { endPairs, pairFitting } from './pairs.ts'
import {
  isPublic,
  type OwnSetting,
  settingAfterChoice,
  settingAfterMove,
  settingAfterRemoval,
  settingBefore,
  staysPrivate,
} from './visibility.ts'

/** The folder of a photo, its own visibility setting there, and, when it leaves the one before, that it has no position in the order. */
type Placement = OwnSetting & { folderId: number | null; ownPosition?: null }

type PlaceNames = Pick<Photo, 'city' | 'county' | 'state' | 'countryNames'>

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
  const placed = await changePhotos(tx, photos, (photo) => {
    if (photo.folderId === folderId) return currentPlacement(photo)
    const from = folderOf(photo.folderId)
    const setting = folder ? settingAfterMove(photo, from, folder) : settingAfterRemoval(photo, from)
    return { folderId, ownPosition: null, ...setting }
  })
  return { photos: placed, folder }
}

/**
 * Writes columns of locked photos, each with its event. Photos that have these values already stay unchanged. Returns all of
 * the photos in their new state.
 */
export async function changePhotos(
  tx: Transaction,
  photos: Photo[],
  columnsFor: (photo: Photo) => Placement | PlaceNames,
): Promise<Photo[]> {
  // There are few distinct values, so a few statements change all photos.
  const groups = Map.groupBy(photos, (photo) => JSON.stringify(columnsFor(photo)))
  const changed = new Map<number, Photo>()
  for (const [text, group] of groups) {
    const columns: Partial<Placement & PlaceNames> = JSON.parse(text)
    const ids = group.filter((photo) => !hasColumns(photo, columns)).map(({ id }) => id)
    if (ids.length === 0) continue
    const data = { ...columns, revision: { increment: 1 } }
    const rows = await tx.photo.updateManyAndReturn({ where: { id: { in: ids } }, data })
    for (const row of rows) changed.set(row.id, row)
  }
  await publishChanged(tx, ...changed.values())
  return photos.map((photo) => changed.get(photo.id) ?? photo)
}

function hasColumns(photo: Photo, columns: Partial<Photo>): boolean {
  return (Object.keys(columns) as (keyof Photo)[]).every((key) => photo[key] === columns[key])
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

/** What a change of the places of a user's photos needs. */
interface Placing {
  db: Database
  folders: Folders
  userId: number
}

/**
 * Moves the user's photos among these into one of the user's folders, or out of any (null), and returns them. Files that fit there
 * become pairs.
 * @throws AppError 404 for a folder that is not the user's, 503
 */
export async function movePhotos(
  { db, folders, userId }: Placing,
  ids: number[],
  folderId: number | null,
): Promise<Photo[]> {
  if (folderId !== null) await folders.findOwn(folderId, userId)
  await refreshForPrivatePhotos(folders, await db.photo.findMany({ where: { ...eitherOf(ids), userId } }), folderId)
  return db.$transaction(async (tx) => {
    const own = await lockGalleryPhotos(tx, ids, userId)
    const { photos, folder } = await placeInFolder(tx, own, folderId)
    if (folderId !== null && !folder) throw notFound('Folder not found')
    return pairFitting(tx, folders, photos)
  })
}

/**
 * Makes the user's photos among these public or private, whatever their folders say now, and returns them. A later flip
 * of a folder overrides the setting.
 * @throws AppError 503
 */
export async function setPrivacy({ db, folders, userId }: Placing, ids: number[], isPublic: boolean): Promise<Photo[]> {
  const before = await db.photo.findMany({ where: { id: { in: ids }, userId } })
  await folders.refresh(before.flatMap((photo) => photo.folderId ?? []))
  return db.$transaction(async (tx) => {
    const own = await lockGalleryPhotos(tx, ids, userId)
    const folderIds = own.map((photo) => photo.folderId)
    const folderOf = await lockFolders(tx, folderIds)
    return changePhotos(tx, own, (photo) => ({
      folderId: photo.folderId,
      ...settingAfterChoice(photo, folderOf(photo.folderId), isPublic),
    }))
  })
}

/** The folder of a photo and its visibility there, as it was before a change. */
export const PhotoPlace = Type.Object({
  folderId: Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  isPublic: Type.Boolean(),
  privateByChoice: Type.Boolean({ description: 'The user made it private' }),
  paired: Type.Boolean({ description: 'It was one of a pair; false: undoing the change separates it' }),
})
export type PhotoPlace = Static<typeof PhotoPlace>

/** Returns the places of the user's photos among these, which undoing a change restores. */
export async function placesOf(db: Database, ids: number[], userId: number): Promise<(PhotoPlace & { id: number })[]> {
  const photos = await db.photo.findMany({
    where: { ...eitherOf(ids), userId },
    // Not the metadata, which are most of a row.
    select: {
      ...{ id: true, folderId: true, ownIsPublic: true, ownVisibilityRevision: true, privateByChoice: true },
      pairedWith: true,
    },
    orderBy: { id: 'asc' },
  })
  const folders = await loadFoldersOf(db, photos)
  return photos.map((photo) => {
    const folder = folders.get(photo.folderId ?? 0) ?? null
    return {
      id: photo.id,
      folderId: folder?.deleted ? null : photo.folderId,
      isPublic: isPublic(photo, folder),
      privateByChoice: staysPrivate(photo, folder),
      paired: photo.pairedWith !== null,
    }
  })
}

/**
 * Puts the user's photos among these back to where they were, and returns them. A visibility that is the folder's follows it
 * again, and a pair that the change made ends.
 * @throws AppError 404 for a folder that is not the user's or was deleted, 503
 */
export async function restorePlaces(
  { db, folders, userId }: Placing,
  ids: number[],
  place: PhotoPlace,
): Promise<Photo[]> {
  const { folderId } = place
  if (folderId !== null) {
    await folders.findOwn(folderId, userId)
    await folders.refresh([folderId])
  }
  return db.$transaction(async (tx) => {
    const own = await lockGalleryPhotos(tx, ids, userId)
    const folder = existing((await lockFolders(tx, [folderId]))(folderId))
    if (folderId !== null && !folder) throw notFound('Folder not found')
    const named = place.paired ? own : (await endPairs(tx, own, false)).filter(({ id }) => ids.includes(id))
    const restored = await changePhotos(tx, named, (photo) => ({
      folderId,
      ...(photo.folderId !== folderId && { ownPosition: null }),
      ...settingBefore(place, folder),
    }))
    return pairFitting(tx, folders, restored)
  })
}

const BATCH = 200

/** Takes photos out of deleted folders, one transaction per batch, until none is left. Safe to repeat at any time. */
export async function detachFromDeletedFolders(db: Database): Promise<void> {
  while ((await detachBatch(db)) > 0);
}

/** A batch has photos of one folder: a transaction of several statements must not change photos of several users. */
async function detachBatch(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    // The inner limit makes it one look into the index for each deleted folder, of which most have no photos.
    const next = await tx.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos WHERE purpose = 'gallery' AND folder_id = (
        SELECT folder_id FROM folders CROSS JOIN LATERAL (
          SELECT folder_id FROM photos WHERE purpose = 'gallery' AND folder_id = folders.id LIMIT 1) AS inside
        WHERE deleted LIMIT 1)
      ORDER BY id LIMIT ${BATCH}`
    const locked = await lockPhotos(
      tx,
      next.map(({ id }) => id),
    )
    const folders = await loadFoldersOf(tx, locked)
    const isDetached = ({ folderId }: Photo) => folders.get(folderId ?? 0)?.deleted
    await changePhotos(tx, locked.filter(isDetached), (photo) => ({
      folderId: null,
      ownPosition: null,
      ...settingAfterRemoval(photo, folders.get(photo.folderId ?? 0) ?? null),
    }))
    return next.length
  })
}
