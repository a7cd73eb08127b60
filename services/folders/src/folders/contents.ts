import type { Database } from '../database.ts'
import { uploadUrl } from '../sharing/public-photo.ts'

/** The summary of a folder's photos on its card. */
export interface Contents {
  photoCount: number
  /** Thumbnail URLs: of the chosen cover alone, or of up to four photos, newest first. */
  covers: string[]
  /** The chosen cover, while it is in the folder and has a thumbnail. */
  coverPhotoId: number | null
}

export const NO_CONTENTS: Contents = { photoCount: 0, covers: [], coverPhotoId: null }

/** The contents of folders from the projection, by folder; empty folders are omitted. */
export async function readContents(db: Database, folderIds: number[]): Promise<Map<number, Contents>> {
  if (folderIds.length === 0) return new Map()
  const rows = await db.$queryRaw<
    { id: number; photoCount: number; coverPhotoId: number | null; thumbnails: string[] }[]
  >`
    SELECT folder.id, counted.photos AS "photoCount", cover.id AS "coverPhotoId",
      CASE WHEN cover.id IS NULL THEN newest.thumbnails ELSE ARRAY[cover.thumbnail] END AS thumbnails
    FROM folders AS folder
    LEFT JOIN photos AS cover ON cover.id = folder.cover_photo_id AND cover.folder_id = folder.id
      AND NOT cover.deleted AND cover.raw_of IS NULL AND cover.thumbnail IS NOT NULL
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS photos FROM photos WHERE folder_id = folder.id AND NOT deleted AND raw_of IS NULL
    ) AS counted
    CROSS JOIN LATERAL (
      SELECT ARRAY(
        SELECT thumbnail FROM photos
        WHERE folder_id = folder.id AND NOT deleted AND raw_of IS NULL AND thumbnail IS NOT NULL
        ORDER BY created_at DESC, id DESC LIMIT 4
      ) AS thumbnails
    ) AS newest
    WHERE folder.id = ANY (${folderIds}) AND counted.photos > 0`
  return new Map(
    rows.map(({ id, photoCount, coverPhotoId, thumbnails }) => [
      id,
      { photoCount, coverPhotoId, covers: thumbnails.map(uploadUrl) },
    ]),
  )
}
