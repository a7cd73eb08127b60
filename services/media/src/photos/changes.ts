import { notFound } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged, publishDeleted } from '../events.ts'
import { keysOf } from '../files/objects.ts'
import type { Folder, Photo } from '../generated/client.ts'
import { WAITING } from '../processing/leases.ts'
import { type Folders, foldersOf } from '../projection/folders.ts'
import { chosen, movedInto, type OwnSetting, takenOut } from './visibility.ts'

/** Who asks for a change. */
export interface Actor {
  userId: number
  isAdmin: boolean
}

/** Where a photo lies, and what it says of its visibility. */
type Placement = OwnSetting & { folderId: number | null }

/** Locks photos in one order everywhere, and before folders, so that no two changes wait for each other. */
export async function lockPhotos(tx: Transaction, ids: number[]): Promise<Photo[]> {
  await tx.$queryRaw`SELECT 1 FROM photos WHERE id = ANY (${ids}) ORDER BY id FOR UPDATE`
  return tx.photo.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })
}

/** Locks those of the photos that are in somebody's gallery; others are left out. */
async function lockGallery(tx: Transaction, ids: number[]): Promise<Photo[]> {
  return (await lockPhotos(tx, ids)).filter((photo) => photo.purpose === 'gallery')
}

/** Locks those of the photos that are in the user's gallery; others are left out. */
export async function lockOwn(tx: Transaction, ids: number[], userId: number): Promise<Photo[]> {
  return (await lockGallery(tx, ids)).filter((photo) => photo.userId === userId)
}

/** Folders are locked so that none is deleted or flips under a photo that just moves or changes. */
async function lockFolders(tx: Transaction, ids: (number | null)[]): Promise<(id: number | null) => Folder | null> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  await tx.$queryRaw`SELECT 1 FROM folders WHERE id = ANY (${wanted}) ORDER BY id FOR SHARE`
  const rows = await tx.folder.findMany({ where: { id: { in: wanted } } })
  return (id) => rows.find((row) => row.id === id) ?? null
}

/**
 * Gives photos new places and settings, each with its event. One that has them already stays as it is. Gives all of
 * them as they are then.
 */
async function place(tx: Transaction, photos: Photo[], placementOf: (photo: Photo) => Placement): Promise<Photo[]> {
  // Few different placements result, so a few statements change them all.
  const groups = Map.groupBy(photos, (photo) => JSON.stringify(placementOf(photo)))
  const changed = new Map<number, Photo>()
  for (const [text, alike] of groups) {
    const placement = JSON.parse(text) as Placement
    const ids = alike.filter((photo) => !liesSo(photo, placement)).map(({ id }) => id)
    if (ids.length === 0) continue
    const data = { ...placement, revision: { increment: 1 } }
    const rows = await tx.photo.updateManyAndReturn({ where: { id: { in: ids } }, data })
    for (const row of rows) changed.set(row.id, row)
  }
  await publishChanged(tx, ...changed.values())
  return photos.map((photo) => changed.get(photo.id) ?? photo)
}

function liesSo(photo: Photo, placement: Placement): boolean {
  return (Object.keys(placement) as (keyof Placement)[]).every((key) => photo[key] === placement[key])
}

/**
 * Files locked photos in a folder, or takes them out of any (null). The folder that is given back is null also when it
 * was deleted meanwhile: then they stay where they are.
 */
export async function fileInto(
  tx: Transaction,
  photos: Photo[],
  folderId: number | null,
): Promise<{ photos: Photo[]; folder: Folder | null }> {
  const folderOf = await lockFolders(tx, [folderId, ...photos.map((photo) => photo.folderId)])
  const found = folderOf(folderId)
  const folder = found?.deleted ? null : found
  if (folderId !== null && !folder) return { photos, folder: null }
  const filed = await place(tx, photos, (photo) => {
    if (photo.folderId === folderId) return placementOf(photo)
    const from = folderOf(photo.folderId)
    return { folderId, ...(folder ? movedInto(photo, from, folder) : takenOut(photo, from)) }
  })
  return { photos: filed, folder }
}

function placementOf({ folderId, ownIsPublic, ownVisibilityRevision, privateByChoice }: Photo): Placement {
  return { folderId, ownIsPublic, ownVisibilityRevision, privateByChoice }
}

/**
 * A photo that the user made private stays so in its new folder, by a mark at the folder's present revision. The
 * projection may lag behind a flip, and then the mark would not hold: so folders is asked.
 * @throws AppError 503
 */
export async function refreshForPrivate(folders: Folders, photos: Photo[], folderId: number | null): Promise<void> {
  if (folderId !== null && photos.some((photo) => photo.privateByChoice)) await folders.refresh([folderId])
}

/**
 * Moves those of the photos that are the user's into one of the user's folders, or out of any (null). Gives them.
 * @throws AppError 404 for a folder that is not the user's, 503
 */
export async function movePhotos(
  db: Database,
  folders: Folders,
  ids: number[],
  { userId, folderId }: { userId: number; folderId: number | null },
): Promise<Photo[]> {
  if (folderId !== null) await folders.own(folderId, userId)
  await refreshForPrivate(folders, await db.photo.findMany({ where: { id: { in: ids }, userId } }), folderId)
  return db.$transaction(async (tx) => {
    const own = await lockOwn(tx, ids, userId)
    const { photos, folder } = await fileInto(tx, own, folderId)
    if (folderId !== null && !folder) throw notFound('Folder not found')
    return photos
  })
}

/**
 * Makes those of the photos that are the user's public or private, whatever their folders say now; a later flip of a
 * folder counts more. Gives them.
 * @throws AppError 503
 */
export async function setPrivacy(
  db: Database,
  folders: Folders,
  ids: number[],
  { userId, isPublic }: { userId: number; isPublic: boolean },
): Promise<Photo[]> {
  const before = await db.photo.findMany({ where: { id: { in: ids }, userId } })
  await folders.refresh(before.flatMap((photo) => photo.folderId ?? []))
  return db.$transaction(async (tx) => {
    const own = await lockOwn(tx, ids, userId)
    const folderOf = await lockFolders(
      tx,
      own.map((photo) => photo.folderId),
    )
    return place(tx, own, (photo) => ({
      folderId: photo.folderId,
      ...chosen(photo, folderOf(photo.folderId), isPublic),
    }))
  })
}

/**
 * Deletes photos of the user, or anybody's for an administrator, and gives them. Their bytes are no longer served from
 * now on; the worker removes them from the store.
 */
export async function deletePhotos(db: Database, ids: number[], by: Actor): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const photos = by.isAdmin ? await lockGallery(tx, ids) : await lockOwn(tx, ids, by.userId)
    await tx.photo.deleteMany({ where: { id: { in: photos.map(({ id }) => id) } } })
    const removals = photos.flatMap(keysOf).map((key) => ({ key }))
    await tx.objectRemoval.createMany({ data: removals, skipDuplicates: true })
    await publishDeleted(tx, ...photos)
    return photos
  })
}

/** Lets those of the photos that are the user's be processed again, unless they wait for it anyway. Gives them. */
export async function reprocessPhotos(db: Database, ids: number[], userId: number): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const own = await lockOwn(tx, ids, userId)
    const ended = own.filter((photo) => photo.status !== 'processing').map(({ id }) => id)
    const data = { ...WAITING, revision: { increment: 1 } }
    const begun = await tx.photo.updateManyAndReturn({ where: { id: { in: ended } }, data })
    await publishChanged(tx, ...begun)
    return own.map((photo) => begun.find(({ id }) => id === photo.id) ?? photo)
  })
}

const BATCH = 200

/** Takes photos out of deleted folders, a batch a transaction. Resolves when none is left; repeatable at any time. */
export async function detachFromDeletedFolders(db: Database): Promise<void> {
  while ((await detachBatch(db)) === BATCH);
}

async function detachBatch(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      SELECT photos.id FROM photos JOIN folders ON folders.id = photos.folder_id
      WHERE folders.deleted ORDER BY photos.id LIMIT ${BATCH} FOR UPDATE OF photos SKIP LOCKED`
    const photos = await tx.photo.findMany({ where: { id: { in: locked.map(({ id }) => id) } } })
    const folders = await foldersOf(tx, photos)
    await place(tx, photos, (photo) => ({
      folderId: null,
      ...takenOut(photo, folders.get(photo.folderId ?? 0) ?? null),
    }))
    return locked.length
  })
}
