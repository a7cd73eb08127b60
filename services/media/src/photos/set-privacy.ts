import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import type { Folders } from '../projection/folders.ts'
import { lockFolders, lockOwnPhotos } from './locks.ts'
import { applyPlacements } from './placement.ts'
import { settingAfterChoice } from './visibility.ts'

/**
 * Makes the user's photos among these public or private, whatever their folders say now, and returns them. A later flip
 * of a folder overrides the setting.
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
    const own = await lockOwnPhotos(tx, ids, userId)
    const folderIds = own.map((photo) => photo.folderId)
    const folderOf = await lockFolders(tx, folderIds)
    return applyPlacements(tx, own, (photo) => ({
      folderId: photo.folderId,
      ...settingAfterChoice(photo, folderOf(photo.folderId), isPublic),
    }))
  })
}
