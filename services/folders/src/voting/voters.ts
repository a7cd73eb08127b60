import { badRequest } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { withTimeout } from '../database.ts'
import { RANKS, type RankedPhotos } from './ballots.ts'

const LABEL_DIGITS = 16
const HASH_DIGITS = 32

/** The first half of a voter's hash: enough to distinguish voters, useless for voting. */
export function voterLabel(voter: string): string {
  return voter.replaceAll('-', '').slice(0, LABEL_DIGITS)
}

/** The smallest and the largest hash with this label, in the text form of UUIDs. */
export function hashRange(label: string): [first: string, last: string] {
  return [label.padEnd(HASH_DIGITS, '0'), label.padEnd(HASH_DIGITS, 'f')]
}

/** Each flag of a ballot and its column. */
export const FLAG_COLUMNS = {
  burst: 'burst',
  crowd: 'crowd',
  'no-page': 'no_page',
  alike: 'alike',
  'token-mismatch': 'token_mismatch',
  'shared-token': 'shared_token',
} as const

export type Flag = keyof typeof FLAG_COLUMNS

export const FLAGS = Object.keys(FLAG_COLUMNS) as Flag[]

/** SQL: whether a ballot has any flag. */
export const HAS_FLAG = `(${Object.values(FLAG_COLUMNS).join(' OR ')})`

/** A ballot as the folder's owner sees it. */
export interface Voter extends RankedPhotos {
  /** The voter's label. */
  voter: string
  createdAt: Date
  updatedAt: Date
  flags: Flag[]
  excluded: boolean
  owner: boolean
}

interface VoterPage {
  voters: Voter[]
  /** Ballots on all pages. */
  total: number
  /** How many of the total are excluded. */
  excluded: number
  /** Cursor of the next page; null on the last. */
  next: VoterCursor | null
}

/** The last ballot of a page: the time of its last change, in UTC with microseconds, and its hash. */
interface VoterCursor {
  updatedAt: string
  hash: string
}

interface VoterQuery {
  limit: number
  /** Only voters with a flag. */
  flagged: boolean
  cursor: VoterCursor | null
}

interface Row extends Omit<Voter, 'voter'> {
  hash: string
  total: number
  excludedTotal: number
  changed: string
}

const FLAG_VALUES = Object.entries(FLAG_COLUMNS).map(([flag, column]) => `CASE WHEN ${column} THEN '${flag}' END`)
const JOIN_COUNTED_PHOTOS = RANKS.map(
  (rank) => `LEFT JOIN photos_with_visibility AS ${rank}
  ON ${rank}.id = page.${rank} AND ${rank}.folder_id = page.folder_id AND ${rank}.counted`,
).join('\n')

/** SQL: the ballots of `page`, a query on `ballots`, as rows. `counts` is a query of one row: all, and the excluded ones. */
const rowsOf = (page: string, counts: string) => `
WITH page AS MATERIALIZED (${page}), counts (total, excluded_total) AS (${counts})
SELECT page.voter AS hash, page.created_at AS "createdAt", page.updated_at AS "updatedAt",
       to_char(page.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS changed,
       COALESCE(first.id, 0) AS first, COALESCE(second.id, 0) AS second, COALESCE(third.id, 0) AS third, excluded, owner,
       array_remove(ARRAY[${FLAG_VALUES.join(', ')}], NULL) AS flags,
       total, excluded_total AS "excludedTotal"
FROM page CROSS JOIN counts ${JOIN_COUNTED_PHOTOS}
ORDER BY page.updated_at DESC, page.voter DESC`

// Two passes over the folder's ballots: an index for this order would have to be maintained by every vote.
const listOf = (condition: string) =>
  rowsOf(
    `SELECT * FROM ballots
     WHERE folder_id = $1 AND ${condition} AND ($2::timestamptz IS NULL OR (updated_at, voter) < ($2::timestamptz, $3::uuid))
     ORDER BY updated_at DESC, voter DESC LIMIT $4`,
    `SELECT count(*)::integer, count(*) FILTER (WHERE excluded)::integer FROM ballots WHERE folder_id = $1 AND ${condition}`,
  )

const ALL = listOf('true')
const FLAGGED = listOf(HAS_FLAG)
const ONE = rowsOf(
  'SELECT * FROM ballots WHERE folder_id = $1 AND voter BETWEEN $2::uuid AND $3::uuid LIMIT 1',
  'SELECT 1, 0',
)

export interface VoterList {
  /** A page of voters, the last changed ballot first. */
  list(folderId: number, query: VoterQuery): Promise<VoterPage>
  /** The voter with this label, or null. */
  find(folderId: number, label: string): Promise<Voter | null>
}

/** The voters of a folder for its owner: labels and flags, never an identity. */
export function createVoterList(pool: Pool): VoterList {
  return {
    async list(folderId, { flagged, limit, cursor }) {
      const values = [folderId, cursor?.updatedAt, cursor?.hash, limit + 1]
      const { rows } = await withTimeout(pool, async (client) => {
        // Reads the folder's ballots page by page, not one by one in the random order of their hashes.
        await client.query('SET LOCAL enable_indexscan = off')
        return client.query<Row>(flagged ? FLAGGED : ALL, values)
      })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        voters: page.map(toVoter),
        total: rows[0]?.total ?? 0,
        excluded: rows[0]?.excludedTotal ?? 0,
        next: last ? { updatedAt: last.changed, hash: last.hash } : null,
      }
    },

    async find(folderId, label) {
      const { rows } = await pool.query<Row>(ONE, [folderId, ...hashRange(label)])
      return rows[0] ? toVoter(rows[0]) : null
    },
  }
}

function toVoter({ hash, total, excludedTotal, changed, ...voter }: Row): Voter {
  return { ...voter, voter: voterLabel(hash) }
}

export function encodeVoterCursor({ updatedAt, hash }: VoterCursor): string {
  return Buffer.from(`${updatedAt}|${hash}`).toString('base64url')
}

const CURSOR =
  /^(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{6}Z)\|([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** Throws 400 unless `encodeVoterCursor` can have made the text. */
export function decodeVoterCursor(text: string): VoterCursor {
  const [, second = '', fraction = '', hash = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const time = new Date(`${second}Z`)
  // Only a time that exists is formatted as it was: no 30 February.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(second)) {
    throw badRequest('The cursor is not valid for this list.')
  }
  return { updatedAt: second + fraction, hash }
}
