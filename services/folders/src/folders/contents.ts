import type { Database } from '../database.ts'
import { uploadUrl } from '../sharing/picture-urls.ts'

/** The summary of a folder's photos on its card. */
export interface Contents {
  photoCount: number
  /** Thumbnail URLs of up to four photos, newest first. */
  covers: string[]
}

export const NO_CONTENTS: Contents = { photoCount: 0, covers: [] }

/** The contents of folders from the projection, by folder; empty folders are omitted. */
export async function readContents(db: Database, folderIds: number[]): Promise<Map<number, Contents>> {
  if (folderIds.length === 0) return new Map()
  const rows = await db.$queryRaw<{ id: number; photoCount: number; thumbnails: string[] }[]>`
    SELECT folder.id, counted.photos AS "photoCount", covers.thumbnails
    FROM unnest(${folderIds}::integer[]) AS folder (id)
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS photos FROM photos WHERE folder_id = folder.id AND NOT deleted
    ) AS counted
    CROSS JOIN LATERAL (
      SELECT ARRAY(
        SELECT thumbnail FROM photos
        WHERE folder_id = folder.id AND NOT deleted AND thumbnail IS NOT NULL
        ORDER BY created_at DESC, id DESC LIMIT 4
      ) AS thumbnails
    ) AS covers
    WHERE counted.photos > 0`
  return new Map(rows.map(({ id, photoCount, thumbnails }) => [id, { photoCount, covers: thumbnails.map(uploadUrl) }]))
}
