import { notFound } from '@skyfolio/kit'
import type { Database, Transaction } from './database.ts'
import { publishChanged, publishDeleted } from './events.ts'
import { type Folders, foldersOf, saveFolder } from './folders.ts'
import type { Folder, Photo } from './generated/client.ts'
import { keysOf } from './objects.ts'
import { movedInto, type OwnSetting, takenOut } from './visibility.ts'

function photoNotFound() {
  return notFound('Photo not found')
}

async function lockOwnPhoto(tx: Transaction, id: number, userId: number): Promise<Photo> {
  await tx.$queryRaw`SELECT 1 FROM photos WHERE id = ${id} FOR UPDATE`
  const photo = await tx.photo.findUnique({ where: { id } })
  if (photo?.userId !== userId) throw photoNotFound()
  return photo
}

/** Folders are locked so that none is deleted under a photo that just moves into it. */
async function lockFolders(tx: Transaction, ids: (number | null)[]): Promise<(id: number | null) => Folder | null> {
  await tx.$queryRaw`SELECT 1 FROM folders WHERE id = ANY (${ids.filter((id) => id !== null)}) ORDER BY id FOR SHARE`
  const rows = await tx.folder.findMany({ where: { id: { in: ids.filter((id) => id !== null) } } })
  return (id) => rows.find((row) => row.id === id) ?? null
}

/**
 * A photo that the user made private stays so in its new folder, by a mark at the folder's present revision. The
 * projection may lag behind a flip, and then the mark would not hold: so folders is asked.
 */
async function refreshForPrivate(db: Database, folders: Folders, photo: Photo, folderId: number): Promise<void> {
  if (!photo.privateByChoice) return
  const folder = await folders.fresh(folderId)
  if (folder) await saveFolder(db, folder)
}

/**
 * Moves the user's photo into one of the user's folders, or out of any (null).
 * @throws AppError 404 for a photo or folder that is not the user's, 503
 */
export async function movePhoto(
  db: Database,
  folders: Folders,
  o: { photoId: number; userId: number; folderId: number | null },
): Promise<{ photo: Photo; folder: Folder | null }> {
  const before = await db.photo.findUnique({ where: { id: o.photoId } })
  if (before?.userId !== o.userId) throw photoNotFound()
  if (o.folderId !== null) {
    await folders.own(o.folderId, o.userId)
    await refreshForPrivate(db, folders, before, o.folderId)
  }
  return db.$transaction(async (tx) => {
    const photo = await lockOwnPhoto(tx, o.photoId, o.userId)
    const folderOf = await lockFolders(tx, [photo.folderId, o.folderId])
    const from = folderOf(photo.folderId)
    const to = folderOf(o.folderId)
    if (o.folderId !== null && (!to || to.deleted)) throw notFound('Folder not found')
    if (photo.folderId === o.folderId) return { photo, folder: to }
    const moved = await tx.photo.update({
      where: { id: photo.id },
      data: {
        folderId: o.folderId,
        ...(to ? movedInto(photo, from, to) : takenOut(photo, from)),
        revision: { increment: 1 },
      },
    })
    await publishChanged(tx, moved)
    return { photo: moved, folder: to }
  })
}

/**
 * Deletes a photo of the user, or anybody's for an administrator. Its bytes are no longer served from now on; the
 * worker removes them from the store.
 * @throws AppError 404
 */
export async function deletePhoto(db: Database, id: number, by: { userId: number; isAdmin: boolean }): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM photos WHERE id = ${id} FOR UPDATE`
    const photo = await tx.photo.findUnique({ where: { id } })
    if (!photo || (photo.userId !== by.userId && !by.isAdmin)) throw photoNotFound()
    await tx.photo.delete({ where: { id } })
    await tx.objectRemoval.createMany({ data: keysOf(photo).map((key) => ({ key })), skipDuplicates: true })
    await publishDeleted(tx, photo)
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
    // Few different settings result, so a few statements change them all.
    const settings = Map.groupBy(photos, (photo) =>
      JSON.stringify(takenOut(photo, folders.get(photo.folderId ?? 0) ?? null)),
    )
    const detached: Photo[] = []
    for (const [setting, alike] of settings) {
      const data = { folderId: null, ...(JSON.parse(setting) as OwnSetting), revision: { increment: 1 } }
      detached.push(...(await tx.photo.updateManyAndReturn({ where: { id: { in: alike.map(({ id }) => id) } }, data })))
    }
    await publishChanged(tx, ...detached)
    return locked.length
  })
}
