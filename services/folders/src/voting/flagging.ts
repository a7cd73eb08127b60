import type { Logger } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { briefly } from '../database.ts'

/** New ballots from one address that are odd: this many, or more, in this time. */
export interface ArrivalRule {
  ballots: number
  seconds: number
}

export interface FlagRules {
  /** As only a script, or a room full of people, fills them. */
  burst: ArrivalRule
  /** As nobody fills them alone, however slowly. */
  crowd: ArrivalRule
}

export interface Flagging {
  /**
   * Looks for what is odd about the ballots of a folder. Resolves when the flags are right in a small folder; in a large
   * one at once, and the owner's screens hear when flags have changed.
   */
  refresh(folder: { id: number; userId: number }): Promise<void>
  stop(): Promise<void>
}

export interface FlaggingOptions {
  pool: Pool
  logger: Logger
  rules: FlagRules
  /** Ballots up to which a folder is small, and looked through whenever it is asked for. */
  small?: number
  onChange(folderId: number, ownerId: number): void
}

/** A large folder is looked through for at most one part in so many of the time. */
const REST = 20
/** In the background a look may take long. */
const LARGE_SECONDS = 60
const REST_AFTER_FAILURE_MS = 60_000

const IS_LARGE =
  'SELECT count(*) > $2::integer AS large FROM (SELECT FROM ballots WHERE folder_id = $1 LIMIT $2::integer + 1) AS part'

// A ballot is part of a burst when it is among as many that the last of them follows the first soon enough. Windows of
// so many rows, not of so much time: one pass however many come from one address. Counts can forget a row that leaves.
const JUDGE = `
WITH arrived AS (
  SELECT voter, address, created_at, burst, crowd, shared_token,
         created_at - lag(created_at, $2::integer - 1) OVER arrivals <= make_interval(secs => $3) AS ends_burst,
         created_at - lag(created_at, $4::integer - 1) OVER arrivals <= make_interval(secs => $5) AS ends_crowd,
         count(*) OVER (PARTITION BY token) > 1 AS is_shared
  FROM ballots WHERE folder_id = $1
  WINDOW arrivals AS (PARTITION BY address ORDER BY created_at, voter)
), judged AS (
  SELECT voter, burst, crowd, shared_token, is_shared,
         count(*) FILTER (WHERE ends_burst) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $2::integer - 1 FOLLOWING) > 0 AS is_burst,
         count(*) FILTER (WHERE ends_crowd) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $4::integer - 1 FOLLOWING) > 0 AS is_crowd
  FROM arrived WINDOW arrivals AS (PARTITION BY address ORDER BY created_at, voter)
), different AS (
  SELECT *, row_number() OVER (PARTITION BY is_burst, is_crowd, is_shared ORDER BY voter) / 1000 AS part
  FROM judged WHERE (burst, crowd, shared_token) <> (is_burst, is_crowd, is_shared)
)
SELECT array_agg(voter)::text AS voters, is_burst AS burst, is_crowd AS crowd, is_shared AS shared
FROM different GROUP BY is_burst, is_crowd, is_shared, part`

// A few at a time, in the order in which votes lock ballots: a vote waits for milliseconds.
const MARK = `
WITH held AS MATERIALIZED (
  SELECT voter FROM ballots WHERE folder_id = $1 AND voter = ANY ($2::uuid[]) ORDER BY voter FOR NO KEY UPDATE
)
UPDATE ballots SET burst = $3, crowd = $4, shared_token = $5
FROM held WHERE folder_id = $1 AND ballots.voter = held.voter`

interface Part {
  voters: string
  burst: boolean
  crowd: boolean
  shared: boolean
}

/** Keeps the flags that need a look at all ballots of a folder. Votes do nothing for it: it runs when an owner looks. */
export function createFlagging({ pool, logger, rules, small = 5_000, onChange }: FlaggingOptions): Flagging {
  /** Large folders, and until when their flags are taken as they are. */
  const rested = new Map<number, number>()
  let lane = Promise.resolve()

  async function judge(folderId: number, seconds?: number): Promise<Part[]> {
    const { burst, crowd } = rules
    return briefly(
      pool,
      async (client) => {
        await client.query("SET LOCAL work_mem = '32MB'")
        const values = [folderId, burst.ballots, burst.seconds, crowd.ballots, crowd.seconds]
        return (await client.query<Part>(JUDGE, values)).rows
      },
      seconds,
    )
  }

  /** Whether any flag changed. */
  async function mark(folderId: number, seconds?: number): Promise<boolean> {
    const parts = await judge(folderId, seconds)
    for (const { voters, burst, crowd, shared } of parts) {
      await pool.query(MARK, [folderId, voters, burst, crowd, shared])
    }
    return parts.length > 0
  }

  async function markLarge({ id, userId }: { id: number; userId: number }): Promise<void> {
    const begun = performance.now()
    let rest = REST_AFTER_FAILURE_MS
    try {
      if (await mark(id, LARGE_SECONDS)) onChange(id, userId)
      rest = REST * (performance.now() - begun)
    } catch (error) {
      logger.warn({ err: error, folder: id }, 'flags of ballots not renewed; tried again later')
    }
    rested.set(id, performance.now() + rest)
  }

  return {
    async refresh(folder) {
      const { rows } = await briefly(pool, (client) => client.query<{ large: boolean }>(IS_LARGE, [folder.id, small]))
      if (!rows[0]?.large) {
        await mark(folder.id)
        return
      }
      const now = performance.now()
      for (const [id, until] of rested) if (until < now) rested.delete(id)
      if (rested.has(folder.id)) return
      rested.set(folder.id, Number.POSITIVE_INFINITY)
      // One folder after another.
      lane = lane.then(() => markLarge(folder))
    },
    stop: () => lane,
  }
}
