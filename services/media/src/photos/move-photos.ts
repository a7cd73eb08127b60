import { notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import type { Folders } from '../projection/folders.ts'
import { lockOwnPhotos } from './locks.ts'
import { placeInFolder, refreshForPrivatePhotos } from './placement.ts'

/**
 * Moves the user's photos among these into one of the user's folders, or out of any (null), and returns them.
 * @throws AppError 404 for a folder that is not the user's, 503
 */
export async function movePhotos(
  db: Database,
  folders: Folders,
  ids: number[],
  { userId, folderId }: { userId: number; folderId: number | null },
): Promise<Photo[]> {
  if (folderId !== null) await folders.findOwn(folderId, userId)
  await refreshForPrivatePhotos(folders, await db.photo.findMany({ where: { id: { in: ids }, userId } }), folderId)
  return db.$transaction(async (tx) => {
    const own = await lockOwnPhotos(tx, ids, userId)
    const { photos, folder } = await placeInFolder(tx, own, folderId)
    if (folderId !== null && !folder) throw notFound('Folder not found')
    return photos
  })
}
