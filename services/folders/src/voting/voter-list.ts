import type { Pool } from 'pg'
import { briefly } from '../database.ts'
import { hashesOf, voterLabel } from './voter-labels.ts'

/** What may be odd about a ballot, and the column that says so. */
export const FLAG_COLUMNS = {
  burst: 'burst',
  crowd: 'crowd',
  'token-mismatch': 'token_mismatch',
  'shared-token': 'shared_token',
} as const
export type Flag = keyof typeof FLAG_COLUMNS
export const FLAGS = Object.keys(FLAG_COLUMNS) as Flag[]
/** SQL: whether a ballot has any flag. */
export const HAS_FLAG = `(${Object.values(FLAG_COLUMNS).join(' OR ')})`

/** A ballot as the folder's owner sees it. */
export interface Voter {
  voter: string
  createdAt: Date
  updatedAt: Date
  /** The photos that count, 0 where a place is empty. */
  first: number
  second: number
  third: number
  flags: Flag[]
  excluded: boolean
  owner: boolean
}

export interface VoterPage {
  voters: Voter[]
  total: number
  /** Where the next page begins; null on the last. */
  next: Cursor | null
}

/** The last ballot of a page: when it was changed, in UTC with microseconds, and its hash. */
export interface Cursor {
  updatedAt: string
  hash: string
}

interface Row extends Omit<Voter, 'voter'> {
  hash: string
  total: number
  changed: string
}

const WITH_FLAGS = Object.entries(FLAG_COLUMNS).map(([flag, column]) => `CASE WHEN ${column} THEN '${flag}' END`)
const CHOICES = ['first', 'second', 'third']
  .map(
    (place) => `LEFT JOIN placed_photos AS ${place}
  ON ${place}.id = page.${place} AND ${place}.folder_id = page.folder_id AND ${place}.counted`,
  )
  .join('\n')

/** The ballots of `page`, which is told from `ballots`, as rows. */
const rowsOf = (page: string, total: string) => `
WITH page AS MATERIALIZED (${page})
SELECT page.voter AS hash, page.created_at AS "createdAt", page.updated_at AS "updatedAt",
       to_char(page.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS changed,
       COALESCE(first.id, 0) AS first, COALESCE(second.id, 0) AS second, COALESCE(third.id, 0) AS third, excluded, owner,
       array_remove(ARRAY[${WITH_FLAGS.join(', ')}], NULL) AS flags, ${total} AS total
FROM page ${CHOICES}
ORDER BY page.updated_at DESC, page.voter DESC`

// Without an index for the order, which every vote would have to maintain: two passes over the folder's ballots.
const listOf = (condition: string) =>
  rowsOf(
    `SELECT * FROM ballots
     WHERE folder_id = $1 AND ${condition} AND ($2::timestamptz IS NULL OR (updated_at, voter) < ($2::timestamptz, $3::uuid))
     ORDER BY updated_at DESC, voter DESC LIMIT $4`,
    `(SELECT count(*)::integer FROM ballots WHERE folder_id = $1 AND ${condition})`,
  )

const ALL = listOf('true')
const FLAGGED = listOf(HAS_FLAG)
const ONE = rowsOf('SELECT * FROM ballots WHERE folder_id = $1 AND voter BETWEEN $2::uuid AND $3::uuid LIMIT 1', '1')

function toVoter({ hash, total, changed, ...voter }: Row): Voter {
  return { ...voter, voter: voterLabel(hash) }
}

/** The voters of folders, for their owners: who is behind a ballot is not said, only what is odd about it. */
export function createVoterList(pool: Pool) {
  return {
    /** A page of voters, the one whose ballot changed last first; only those with a flag when `flagged`. */
    async list(
      folderId: number,
      { flagged, limit, cursor }: { flagged: boolean; limit: number; cursor: Cursor | null },
    ): Promise<VoterPage> {
      const values = [folderId, cursor?.updatedAt, cursor?.hash, limit + 1]
      const { rows } = await briefly(pool, async (client) => {
        // All ballots of the folder page by page, not one by one in the random order of their hashes.
        await client.query('SET LOCAL enable_indexscan = off')
        return client.query<Row>(flagged ? FLAGGED : ALL, values)
      })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        voters: page.map(toVoter),
        total: rows[0]?.total ?? 0,
        next: last ? { updatedAt: last.changed, hash: last.hash } : null,
      }
    },

    /** The voter of this label, or null. */
    async one(folderId: number, label: string): Promise<Voter | null> {
      const { rows } = await pool.query<Row>(ONE, [folderId, ...hashesOf(label)])
      return rows[0] ? toVoter(rows[0]) : null
    },
  }
}

export type VoterList = ReturnType<typeof createVoterList>
