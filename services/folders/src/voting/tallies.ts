import { createBatcher, inTransaction } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { briefly } from '../database.ts'
import { removeVotes } from './change-ballots.ts'

/** Votes of a photo. */
export interface Tally {
  photoId: number
  first: number
  second: number
  third: number
  /** 3 for a first place, 2 for a second, 1 for a third. */
  points: number
  voters: number
}

export interface Standings {
  /** The photos of a folder that have votes, best first: by points, firsts, seconds, then the earlier upload. */
  of(folderId: number): Promise<Tally[]>
}

/** Reads standings, at most two at a time; those who wait for the same folder share a reading. */
export function createStandings(pool: Pool): Standings {
  const batches = createBatcher<number, Tally[]>({
    async run(folderIds) {
      const found = new Map<number, Tally[]>()
      for (const folderId of new Set(folderIds)) {
        const { rows } = await pool.query<Tally>({ name: 'standings', text: STANDINGS, values: [folderId] })
        found.set(folderId, rows)
      }
      return folderIds.map((folderId) => found.get(folderId) ?? [])
    },
    maxInFlight: 2,
    maxBatch: 50,
    maxQueued: 1_000,
  })
  return { of: batches.submit }
}

/** A photo of a folder, with or without votes. */
export interface PhotoStanding extends Tally {
  title: string
}

/** All photos of a folder in the order of `standings`; those without votes, or whose votes do not count, are last. */
export async function allStandings(pool: Pool, folderId: number): Promise<PhotoStanding[]> {
  const { rows } = await briefly(pool, (client) => client.query<PhotoStanding>(ALL_STANDINGS, [folderId]))
  return rows
}

const TALLY = `(
  SELECT photo_id, sum(first)::integer AS first, sum(second)::integer AS second, sum(third)::integer AS third
  FROM (SELECT photo_id, first, second, third FROM tallies WHERE folder_id = $1
        UNION ALL
        SELECT photo_id, first, second, third FROM tally_changes WHERE folder_id = $1) AS parts
  GROUP BY photo_id
) AS tally`
const SCORES = '3 * first + 2 * second + third AS points, first + second + third AS voters'
const BEST_FIRST = 'points DESC, first DESC, second DESC, created_at, id'

const STANDINGS = `
SELECT placed_photos.id AS "photoId", first, second, third, ${SCORES}
FROM ${TALLY}
JOIN placed_photos ON placed_photos.id = tally.photo_id AND placed_photos.folder_id = $1 AND counted
WHERE first + second + third > 0
ORDER BY ${BEST_FIRST}`

const ALL_STANDINGS = `
SELECT id AS "photoId", title, first, second, third, ${SCORES}
FROM (
  SELECT placed_photos.id, title, created_at, COALESCE(first, 0) AS first, COALESCE(second, 0) AS second,
         COALESCE(third, 0) AS third
  FROM placed_photos LEFT JOIN ${TALLY} ON tally.photo_id = placed_photos.id AND counted
  WHERE placed_photos.folder_id = $1
) AS photo
ORDER BY ${BEST_FIRST}`

// Skips what another replica takes, and writes in the order of keys: compactions never wait for each other for ever.
// Answers the photos that have votes though they are deleted: those of votes that were under way at that moment.
const COMPACT = `
WITH taken AS (
  DELETE FROM tally_changes
  WHERE seq IN (SELECT seq FROM tally_changes ORDER BY seq LIMIT 20000 FOR UPDATE SKIP LOCKED)
  RETURNING folder_id, photo_id, first, second, third
), folded AS (
  INSERT INTO tallies AS base (folder_id, photo_id, first, second, third)
  SELECT folder_id, photo_id, sum(first), sum(second), sum(third) FROM taken
  GROUP BY folder_id, photo_id ORDER BY folder_id, photo_id
  ON CONFLICT (folder_id, photo_id) DO UPDATE
  SET first = base.first + excluded.first, second = base.second + excluded.second, third = base.third + excluded.third
  RETURNING photo_id, first, second, third
)
SELECT DISTINCT photo_id AS "photoId" FROM folded JOIN photos ON photos.id = photo_id AND deleted
WHERE first <> 0 OR second <> 0 OR third <> 0`

/** Folds appended differences into the tallies. The sums stay the same at every moment. */
export async function compact(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ photoId: number }>(COMPACT)
    for (const { photoId } of rows) await removeVotes((sql, values) => client.query(sql, values), photoId)
  })
}
