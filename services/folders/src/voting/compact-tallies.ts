import type { Database } from '../database.ts'
import { removePhotoFromBallots } from './change-ballots.ts'

/** Adds the appended deltas to the tallies and deletes them. The sums stay the same at every moment. */
export async function compactTallies(db: Database): Promise<void> {
  await db.$transaction(async (tx) => {
    const deleted = await tx.$queryRawUnsafe<{ photoId: number }[]>(COMPACT)
    for (const { photoId } of deleted) await removePhotoFromBallots(tx, photoId)
  })
}

// Skips rows that another replica has locked and writes in key order, so compactions never deadlock.
// Returns the deleted photos that still have votes: those of votes that were in progress during the deletion.
const COMPACT = `
WITH taken AS (
  DELETE FROM tally_changes
  WHERE seq IN (SELECT seq FROM tally_changes ORDER BY seq LIMIT 20000 FOR UPDATE SKIP LOCKED)
  RETURNING folder_id, photo_id, first, second, third
), compacted AS (
  INSERT INTO tallies AS base (folder_id, photo_id, first, second, third)
  SELECT folder_id, photo_id, sum(first), sum(second), sum(third) FROM taken
  GROUP BY folder_id, photo_id ORDER BY folder_id, photo_id
  ON CONFLICT (folder_id, photo_id) DO UPDATE
  SET first = base.first + excluded.first, second = base.second + excluded.second, third = base.third + excluded.third
  RETURNING photo_id, first, second, third
)
SELECT DISTINCT photo_id AS "photoId" FROM compacted JOIN photos ON photos.id = photo_id AND deleted
WHERE first <> 0 OR second <> 0 OR third <> 0`
