import type { Pool } from 'pg'
import { hashesOf, voterLabel } from './voter-labels.ts'

export const FLAGS = ['burst', 'token-mismatch', 'shared-token'] as const
export type Flag = (typeof FLAGS)[number]

/** When new ballots from one address are a burst: this many, or more, in this time. */
export interface BurstRule {
  ballots: number
  seconds: number
}

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

/** The last ballot of a page: when it was changed, as the database writes it, and its hash. */
export interface Cursor {
  updatedAt: string
  hash: string
}

interface Row extends Omit<Voter, 'voter' | 'flags'> {
  hash: string
  total: number
  changed: string
  burst: boolean
  mismatch: boolean
  shared: boolean
}

const PAGE = `updated_at <= COALESCE($2::timestamptz, 'infinity')
  AND ($2::timestamptz IS NULL OR (updated_at, voter) < ($2::timestamptz, $3::uuid))
  ORDER BY updated_at DESC, voter DESC LIMIT $4`

/** The ballots of bursts, and the tokens of several ballots, among the ballots that `like` leaves. */
const marks = (like: (column: string) => string) => `
burst AS (
  SELECT voter FROM (
    SELECT voter, max(recent) OVER (PARTITION BY address ORDER BY created_at
             RANGE BETWEEN CURRENT ROW AND make_interval(secs => $6) FOLLOWING) AS most
    FROM (
      SELECT voter, address, created_at, count(*) OVER (PARTITION BY address ORDER BY created_at
               RANGE BETWEEN make_interval(secs => $6) PRECEDING AND CURRENT ROW) AS recent
      FROM ballots WHERE folder_id = $1 ${like('address')}
    ) AS counted
  ) AS windows WHERE most >= $5
), shared AS (
  SELECT token FROM ballots WHERE folder_id = $1 ${like('token')} GROUP BY token HAVING count(*) > 1
)`

const COLUMNS = `
SELECT page.voter AS hash, page.created_at AS "createdAt", page.updated_at AS "updatedAt",
       page.updated_at::text AS changed, COALESCE(first.id, 0) AS first, COALESCE(second.id, 0) AS second,
       COALESCE(third.id, 0) AS third, excluded, owner, token_mismatch AS mismatch,
       EXISTS (SELECT FROM burst WHERE burst.voter = page.voter) AS burst,
       EXISTS (SELECT FROM shared WHERE shared.token = page.token) AS shared`
const CHOICES = ['first', 'second', 'third']
  .map(
    (place) => `LEFT JOIN placed_photos AS ${place}
  ON ${place}.id = page.${place} AND ${place}.folder_id = page.folder_id AND ${place}.counted`,
  )
  .join('\n')

// First the page, then what its flags need: two more readings of the folder's ballots, and no index to maintain.
const ALL = `
WITH page AS MATERIALIZED (
  SELECT * FROM ballots WHERE folder_id = $1 AND voter BETWEEN $7::uuid AND $8::uuid AND ${PAGE}
), ${marks((column) => `AND ${column} IN (SELECT ${column} FROM page)`)}
${COLUMNS}, (SELECT count(*)::integer FROM ballots WHERE folder_id = $1) AS total
FROM page ${CHOICES}
ORDER BY page.updated_at DESC, page.voter DESC`

const FLAGGED = `
WITH ${marks(() => '')}, flagged AS MATERIALIZED (
  SELECT * FROM ballots
  WHERE folder_id = $1 AND voter BETWEEN $7::uuid AND $8::uuid
    AND (token_mismatch OR voter IN (SELECT voter FROM burst) OR token IN (SELECT token FROM shared))
), page AS (
  SELECT * FROM flagged WHERE ${PAGE}
)
${COLUMNS}, (SELECT count(*)::integer FROM flagged) AS total
FROM page ${CHOICES}
ORDER BY page.updated_at DESC, page.voter DESC`

function toVoter({ hash, createdAt, updatedAt, first, second, third, excluded, owner, ...row }: Row): Voter {
  const flags: Record<Flag, boolean> = { burst: row.burst, 'token-mismatch': row.mismatch, 'shared-token': row.shared }
  return {
    voter: voterLabel(hash),
    createdAt,
    updatedAt,
    first,
    second,
    third,
    flags: FLAGS.filter((flag) => flags[flag]),
    excluded,
    owner,
  }
}

/** The voters of folders, for their owners: who is behind a ballot is not said, only what is odd about it. */
export function createVoterList(pool: Pool, burst: BurstRule) {
  async function read(
    text: string,
    folderId: number,
    o: { limit: number; cursor?: Cursor | null; label?: string },
  ): Promise<Row[]> {
    const { limit, cursor } = o
    const values = [
      folderId,
      cursor?.updatedAt,
      cursor?.hash,
      limit,
      burst.ballots,
      burst.seconds,
      ...hashesOf(o.label),
    ]
    return (await pool.query<Row>(text, values)).rows
  }

  return {
    /** A page of voters, the one whose ballot changed last first; only those with a flag when `flagged`. */
    async list(
      folderId: number,
      { flagged, limit, cursor }: { flagged: boolean; limit: number; cursor: Cursor | null },
    ): Promise<VoterPage> {
      const rows = await read(flagged ? FLAGGED : ALL, folderId, { limit: limit + 1, cursor })
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
      const [row] = await read(ALL, folderId, { limit: 1, label })
      return row ? toVoter(row) : null
    },
  }
}

export type VoterList = ReturnType<typeof createVoterList>
