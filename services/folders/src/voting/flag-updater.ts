import type { Logger } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { withTimeout } from '../database.ts'

/** At least this many new ballots from one address within this time are flagged. */
export interface ArrivalRule {
  ballots: number
  seconds: number
}

export interface FlagRules {
  /** A rate that only a script, or a room full of people, reaches. */
  burst: ArrivalRule
  /** A number that no single person reaches, at whatever rate. */
  crowd: ArrivalRule
  /** Ballots made without a voter token: more than the few visitors without cookies, and much of what their network sends. */
  unseen: ArrivalRule
}

/**
 * Ballots without a voter token are flagged where they are at least one of so many that come from their network meanwhile:
 * a few in a hundred visitors have no cookies, so among thousands they are many and still mean nothing.
 */
const UNSEEN_SHARE = 3

export interface FlagUpdater {
  /**
   * Updates the flags of a folder's ballots. Resolves after the update in a small folder; at once in a large one, where
   * `onChange` follows if flags have changed.
   */
  refresh(folder: { id: number; userId: number }): Promise<void>
  stop(): Promise<void>
}

export interface FlagUpdaterDeps {
  pool: Pool
  logger: Logger
  rules: FlagRules
  onChange(folderId: number, ownerId: number): void
}

/** Folders up to this many ballots are small, and updated on every request. */
const SMALL_BALLOTS = 5_000
/** After an update of a large folder, a pause of so many times its duration. */
const PAUSE_FACTOR = 20
const PAUSE_AFTER_FAILURE_MS = 60_000
/** Statement timeout of an update in the background. */
const LARGE_SECONDS = 60
/** The pool's own limit is shorter. */
const LARGE_QUERY_MS = (LARGE_SECONDS + 5) * 1000

/** Updates the flags that depend on all ballots of a folder. It runs when an owner reads them, never on a vote. */
export function createFlagUpdater({ pool, logger, rules, onChange }: FlagUpdaterDeps): FlagUpdater {
  /** Large folders, and the time before which their flags are not updated again. */
  const pausedUntil = new Map<number, number>()
  let queue = Promise.resolve()

  async function findChanges(folderId: number, seconds?: number): Promise<FlagChange[]> {
    const { burst, crowd, unseen } = rules
    return withTimeout(
      pool,
      async (client) => {
        await client.query("SET LOCAL work_mem = '32MB'")
        const limits = [burst, crowd, unseen].flatMap(({ ballots, seconds }) => [ballots, seconds])
        const statement = { text: FIND_CHANGES, values: [folderId, ...limits], query_timeout: LARGE_QUERY_MS }
        return (await client.query<FlagChange>(statement)).rows
      },
      seconds,
    )
  }

  /** Returns whether any flag changed. */
  async function update(folderId: number, seconds?: number): Promise<boolean> {
    const changes = await findChanges(folderId, seconds)
    for (const { voters, burst, crowd, noPage, shared } of changes) {
      await pool.query(UPDATE, [folderId, voters, burst, crowd, noPage, shared])
    }
    return changes.length > 0
  }

  async function updateLarge({ id, userId }: { id: number; userId: number }): Promise<void> {
    const started = performance.now()
    let pauseMs = PAUSE_AFTER_FAILURE_MS
    try {
      if (await update(id, LARGE_SECONDS)) onChange(id, userId)
      pauseMs = PAUSE_FACTOR * (performance.now() - started)
    } catch (error) {
      logger.warn({ err: error, folder: id }, 'ballot flag update failed, will retry')
    }
    pausedUntil.set(id, performance.now() + pauseMs)
  }

  async function isLarge(folderId: number): Promise<boolean> {
    const { rows } = await withTimeout(pool, (client) =>
      client.query<{ large: boolean }>(IS_LARGE, [folderId, SMALL_BALLOTS]),
    )
    return rows[0]?.large === true
  }

  return {
    async refresh(folder) {
      if (!(await isLarge(folder.id))) {
        await update(folder.id)
        return
      }
      const now = performance.now()
      for (const [id, until] of pausedUntil) if (until < now) pausedUntil.delete(id)
      if (pausedUntil.has(folder.id)) return
      pausedUntil.set(folder.id, Number.POSITIVE_INFINITY)
      // One folder at a time.
      queue = queue.then(() => updateLarge(folder))
    },
    stop: () => queue,
  }
}

const IS_LARGE =
  'SELECT count(*) > $2::integer AS large FROM (SELECT FROM ballots WHERE folder_id = $1 LIMIT $2::integer + 1) AS part'

// A ballot is part of a burst when it is one of `ballots` consecutive ones whose first and last are at most `seconds`
// apart; crowds and ballots without a token likewise. The windows are of rows, not of time: one pass whatever the number of
// ballots from one address, since a count can drop a row that leaves its window. Of ballots without a token, the numbers of
// their arrival tell how many others the network sent between the first and the last. Owners need no page.
const FIND_CHANGES = `
WITH arrived AS (
  SELECT voter, address, created_at, page_unseen AND NOT owner AS unseen, burst, crowd, no_page, shared_token,
         row_number() OVER arrivals AS number,
         created_at - lag(created_at, $2::integer - 1) OVER arrivals <= make_interval(secs => $3) AS completes_burst,
         created_at - lag(created_at, $4::integer - 1) OVER arrivals <= make_interval(secs => $5) AS completes_crowd,
         count(*) OVER (PARTITION BY token) > 1 AS is_shared
  FROM ballots WHERE folder_id = $1
  WINDOW arrivals AS (PARTITION BY address ORDER BY created_at, voter)
), counted AS (
  SELECT arrived.*,
         count(*) FILTER (WHERE completes_burst) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $2::integer - 1 FOLLOWING) > 0 AS is_burst,
         count(*) FILTER (WHERE completes_crowd) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $4::integer - 1 FOLLOWING) > 0 AS is_crowd,
         unseen AND created_at - lag(created_at, $6::integer - 1) OVER alike <= make_interval(secs => $7)
           AND number - lag(number, $6::integer - 1) OVER alike < ${UNSEEN_SHARE}::bigint * $6::integer AS completes_unseen
  FROM arrived
  WINDOW arrivals AS (PARTITION BY address ORDER BY created_at, voter),
         alike AS (PARTITION BY address, unseen ORDER BY created_at, voter)
), evaluated AS (
  SELECT voter, burst, crowd, no_page, shared_token, is_burst, is_crowd, is_shared,
         count(*) FILTER (WHERE completes_unseen) OVER (alike ROWS BETWEEN CURRENT ROW AND $6::integer - 1 FOLLOWING) > 0 AS is_no_page
  FROM counted WINDOW alike AS (PARTITION BY address, unseen ORDER BY created_at, voter)
), changed AS (
  SELECT *, row_number() OVER (PARTITION BY is_burst, is_crowd, is_no_page, is_shared ORDER BY voter) / 1000 AS chunk
  FROM evaluated WHERE (burst, crowd, no_page, shared_token) <> (is_burst, is_crowd, is_no_page, is_shared)
)
SELECT array_agg(voter)::text AS voters, is_burst AS burst, is_crowd AS crowd, is_no_page AS "noPage", is_shared AS shared
FROM changed GROUP BY is_burst, is_crowd, is_no_page, is_shared, chunk`

// A few at a time, in the order in which votes lock ballots: a vote waits for milliseconds.
const UPDATE = `
WITH locked AS MATERIALIZED (
  SELECT voter FROM ballots WHERE folder_id = $1 AND voter = ANY ($2::uuid[]) ORDER BY voter FOR NO KEY UPDATE
)
UPDATE ballots SET burst = $3, crowd = $4, no_page = $5, shared_token = $6
FROM locked WHERE folder_id = $1 AND ballots.voter = locked.voter`

/** Ballots whose flags change to the same values. */
interface FlagChange {
  /** Array literal of hashes. */
  voters: string
  burst: boolean
  crowd: boolean
  noPage: boolean
  shared: boolean
}
