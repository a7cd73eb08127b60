import { expect } from 'vitest'
import type { TestSystem } from './support.ts'

type Counts = Record<number, { first: number; second: number; third: number }>

/** Expects the tallies, compacted or not, to equal a recount of the ballots. */
export async function expectExactTallies(system: Pick<TestSystem, 'pool'>): Promise<void> {
  const { rows } = await system.pool.query(`
    WITH tally AS (
      SELECT folder_id, photo_id, sum(first) AS first, sum(second) AS second, sum(third) AS third
      FROM (SELECT folder_id, photo_id, first, second, third FROM tallies
            UNION ALL SELECT folder_id, photo_id, first, second, third FROM tally_changes) AS parts
      GROUP BY folder_id, photo_id
      HAVING sum(first) <> 0 OR sum(second) <> 0 OR sum(third) <> 0
    ), recount AS (
      SELECT folder_id, photo_id, sum(choice.first) AS first, sum(choice.second) AS second, sum(choice.third) AS third
      FROM ballots CROSS JOIN LATERAL (
        VALUES (ballots.first, 1, 0, 0), (ballots.second, 0, 1, 0), (ballots.third, 0, 0, 1)
      ) AS choice (photo_id, first, second, third)
      WHERE photo_id IS NOT NULL AND NOT excluded GROUP BY folder_id, photo_id
    )
    SELECT tally, recount FROM tally FULL JOIN recount USING (folder_id, photo_id)
    WHERE (tally.first, tally.second, tally.third) IS DISTINCT FROM (recount.first, recount.second, recount.third)`)
  expect(rows).toEqual([])
}

/** Counts of each photo in the view `votes`. */
export async function countedVotes(system: TestSystem, folderId: number): Promise<Counts> {
  const { rows } = await system.pool.query(
    `SELECT photo_id, count(*) FILTER (WHERE rank = 'first')::integer AS first,
            count(*) FILTER (WHERE rank = 'second')::integer AS second,
            count(*) FILTER (WHERE rank = 'third')::integer AS third
     FROM votes WHERE folder_id = $1 GROUP BY photo_id`,
    [folderId],
  )
  return Object.fromEntries(rows.map(({ photo_id, ...counts }) => [photo_id, counts]))
}

/** Inserts ballots with a first rank for a photo directly into the database, one per millisecond, with their tallies. */
export async function fillBallots(
  system: TestSystem,
  options: {
    folderId: number
    photoId: number
    count: number
    addresses?: number
    intervalMs?: number
  },
): Promise<void> {
  const { folderId, photoId, count, addresses = count, intervalMs = 1 } = options
  const base = Math.floor(Math.random() * 1e12)
  await system.pool.query(
    `INSERT INTO ballots (folder_id, voter, first, last_photo_id, last_rank, address, token, created_at, updated_at)
     SELECT $1, md5('v' || $4 || n)::uuid, $2, $2, 1, md5('a' || $4 || n % $5)::uuid, md5('t' || $4 || n)::uuid,
            now() - make_interval(secs => n * $6 / 1000.0), now() - make_interval(secs => n * $6 / 1000.0)
     FROM generate_series(1, $3) AS n`,
    [folderId, photoId, count, `${base}-`, addresses, intervalMs],
  )
  await system.pool.query(
    'INSERT INTO tally_changes (folder_id, photo_id, first, second, third) VALUES ($1, $2, $3, 0, 0)',
    [folderId, photoId, count],
  )
}
