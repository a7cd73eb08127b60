import { contentVersion, createBatcher } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type Database, withTimeout } from '../database.ts'

/** The votes of a photo. */
export interface Tally {
  photoId: number
  first: number
  second: number
  third: number
  /** 3 for a first rank, 2 for a second, 1 for a third. */
  points: number
  voters: number
}

export type StandingsReader = ReturnType<typeof createStandingsReader>

/**
 * Reads the photos of a folder that have votes, best first: by points, firsts, seconds, then the earlier upload. At most two
 * queries run at a time; requests that wait for the same folder share one.
 */
export function createStandingsReader(pool: Pool) {
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
  return { read: batches.submit }
}

/** How many ballots of a folder count. */
export async function readBallotCount(pool: Pool, folderId: number): Promise<number> {
  const { rows } = await withTimeout(pool, (client) => client.query<{ ballots: number }>(BALLOTS, [folderId]))
  return rows[0]?.ballots ?? 0
}

export type PublicStandings = ReturnType<typeof createPublicStandings>

const PUBLIC_STANDINGS_MS = 1000

/** The standings as a JSON text for many visitors, at most a second old. */
export function createPublicStandings(pool: Pool, standings: StandingsReader) {
  const cache = new LRUCache<number, Promise<{ json: string; version: string }>>({ max: 100, ttl: PUBLIC_STANDINGS_MS })

  async function load(folderId: number) {
    const [tallies, ballots] = await Promise.all([standings.read(folderId), readBallotCount(pool, folderId)])
    const json = JSON.stringify({ ballots, tallies })
    return { json, version: contentVersion(json) }
  }

  return {
    read(folderId: number): Promise<{ json: string; version: string }> {
      const cached = cache.get(folderId)
      if (cached) return cached
      const loading = load(folderId)
      cache.set(folderId, loading)
      loading.catch(() => cache.delete(folderId))
      return loading
    },
  }
}

/** A photo of a folder, with or without votes. */
export interface PhotoStanding extends Tally {
  title: string
}

/** All photos of a folder in the order of the standings; those without votes, or whose votes do not count, are last. */
export async function readAllStandings(pool: Pool, folderId: number): Promise<PhotoStanding[]> {
  const { rows } = await withTimeout(pool, (client) => client.query<PhotoStanding>(ALL_STANDINGS, [folderId]))
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
SELECT photo.id AS "photoId", first, second, third, ${SCORES}
FROM ${TALLY}
JOIN photos_with_visibility AS photo ON photo.id = tally.photo_id AND photo.folder_id = $1 AND counted
WHERE first + second + third > 0
ORDER BY ${BEST_FIRST}`

const BALLOTS = `
WITH candidate AS MATERIALIZED (SELECT id FROM photos_with_visibility WHERE folder_id = $1 AND counted)
SELECT count(*)::integer AS ballots FROM ballots
WHERE folder_id = $1 AND NOT excluded
  AND (first IN (SELECT id FROM candidate) OR second IN (SELECT id FROM candidate) OR third IN (SELECT id FROM candidate))`

const ALL_STANDINGS = `
SELECT id AS "photoId", title, first, second, third, ${SCORES}
FROM (
  SELECT photo.id, title, created_at, COALESCE(first, 0) AS first, COALESCE(second, 0) AS second,
         COALESCE(third, 0) AS third
  FROM photos_with_visibility AS photo LEFT JOIN ${TALLY} ON tally.photo_id = photo.id AND counted
  WHERE photo.folder_id = $1 AND raw_of IS NULL
) AS photo
ORDER BY ${BEST_FIRST}`

/** Which of these photos votes of a folder are for that are not excluded, wherever the photos are. */
export async function findVoted(db: Database, folderId: number, photoIds: number[]): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT photo_id AS id
    FROM (SELECT folder_id, photo_id, first, second, third FROM tallies
          UNION ALL SELECT folder_id, photo_id, first, second, third FROM tally_changes) AS parts
    WHERE folder_id = ${folderId} AND photo_id = ANY (${photoIds})
    GROUP BY photo_id HAVING sum(first + second + third) > 0`
  return rows.map(({ id }) => id)
}

const HEADINGS = ['Place', 'Photo', 'Title', 'Firsts', 'Seconds', 'Thirds', 'Points', 'Voters']

/**
 * Spreadsheets treat a text that starts like this as a formula, also with full-width characters or after invisible ones.
 * A leading apostrophe makes it a text.
 */
const FORMULA = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** The standings as a CSV file for spreadsheets: UTF-8 with a byte order mark, lines as in RFC 4180. */
export function standingsCsv(photos: PhotoStanding[]): string {
  const rows = photos.map(({ photoId, title, first, second, third, points, voters }, index) => [
    // A photo without votes has no position.
    voters > 0 ? index + 1 : '',
    photoId,
    title || 'Untitled',
    ...[first, second, third, points, voters],
  ])
  return `\uFEFF${[HEADINGS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
