import type { Database } from '../database.ts'
import { loadFoldersOf } from '../projection/folders.ts'
import { applyPlacements } from './placement.ts'
import { settingAfterRemoval } from './visibility.ts'

const BATCH = 200

/** Takes photos out of deleted folders, one transaction per batch, until none is left. Safe to repeat at any time. */
export async function detachFromDeletedFolders(db: Database): Promise<void> {
  while ((await detachBatch(db)) > 0);
}

/** A batch has photos of one folder: a transaction of several statements must not change photos of several users. */
async function detachBatch(db: Database): Promise<number> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: number }[]>`
      WITH next AS MATERIALIZED (
        SELECT photos.folder_id FROM photos JOIN folders ON folders.id = photos.folder_id
        WHERE folders.deleted ORDER BY photos.id LIMIT 1 FOR UPDATE OF photos SKIP LOCKED
      )
      SELECT photos.id FROM photos WHERE folder_id = (SELECT folder_id FROM next)
      ORDER BY photos.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
    const photos = await tx.photo.findMany({ where: { id: { in: locked.map(({ id }) => id) } } })
    const folders = await loadFoldersOf(tx, photos)
    await applyPlacements(tx, photos, (photo) => ({
      folderId: null,
      ...settingAfterRemoval(photo, folders.get(photo.folderId ?? 0) ?? null),
    }))
    return locked.length
  })
}
