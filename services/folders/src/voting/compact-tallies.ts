import { inTransaction } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { removePhotoFromBallots } from './change-ballots.ts'

/** Adds the appended deltas to the tallies and deletes them. The sums stay the same at every moment. */
export async function compactTallies(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ photoId: number }>(COMPACT)
    for (const { photoId } of rows) await removePhotoFromBallots((sql, values) => client.query(sql, values), photoId)
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
