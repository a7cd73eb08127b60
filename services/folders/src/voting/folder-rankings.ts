import type { Pool } from 'pg'

/** How often a photo was ranked. */
export interface PhotoRanking {
  photoId: number
  title: string
  first: number
  second: number
  third: number
  points: number
  voters: number
}

// The photos are chosen by their ids in the index, so a page costs the same wherever it begins.
const RANKINGS = `
WITH ranked AS MATERIALIZED (
  SELECT photo_id FROM (
    (SELECT photo_id FROM tallies WHERE folder_id = $1 AND photo_id > $2 ORDER BY photo_id LIMIT $3)
    UNION
    (SELECT DISTINCT photo_id FROM tally_changes WHERE folder_id = $1 AND photo_id > $2 ORDER BY photo_id LIMIT $3)
  ) AS candidate ORDER BY photo_id LIMIT $3
), tally AS (
  SELECT photo_id, sum(first)::integer AS first, sum(second)::integer AS second, sum(third)::integer AS third
  FROM (SELECT photo_id, first, second, third FROM tallies
        WHERE folder_id = $1 AND photo_id IN (SELECT photo_id FROM ranked)
        UNION ALL
        SELECT photo_id, first, second, third FROM tally_changes
        WHERE folder_id = $1 AND photo_id IN (SELECT photo_id FROM ranked)) AS parts
  GROUP BY photo_id
)
SELECT tally.photo_id AS "photoId", title, first, second, third, 3 * first + 2 * second + third AS points,
       CASE WHEN photo.id IS NULL THEN 0 ELSE first + second + third END AS voters
FROM tally LEFT JOIN photos_with_visibility AS photo ON photo.id = photo_id AND photo.folder_id = $1 AND counted
ORDER BY photo_id`

/**
 * A folder's photos whose votes count, in the order of their ids, from those after `after`. `next` is the last photo that
 * was looked at, or null at the end of the folder.
 */
export async function readFolderRankings(
  pool: Pool,
  folderId: number,
  after: number,
  limit: number,
): Promise<{ rankings: PhotoRanking[]; next: number | null }> {
  const { rows } = await pool.query<PhotoRanking>(RANKINGS, [folderId, after, limit])
  const next = rows.length < limit ? null : (rows.at(-1)?.photoId ?? null)
  return { rankings: rows.filter(({ voters }) => voters > 0), next }
}
