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
  /** So many that nearly all have the same choices, which others do not make. */
  alike: ArrivalRule
}

/** Chosen with the simulation of people and scripts (bench/flags.ts), so that scripts are seen and few people with them. */
export const FLAG_RULES: FlagRules = {
  // A room of 60 that votes at a signal reaches it; a hall of 200 within twenty minutes does not.
  burst: { ballots: 40, seconds: 10 },
  // More than the hall, in an hour: a script that stays below the rate has to wait.
  crowd: { ballots: 300, seconds: 3_600 },
  // A day, since choices tell more than the rate: a script that casts a ballot in half an hour stays below it.
  alike: { ballots: 40, seconds: 86_400 },
}

/** Part of a network's ballots that are alike. */
const ALIKE_SHARE = 0.85
/** Of that part, what their first choice has among the ballots of others at most: a favourite of all is nobody's fraud. */
const ELSEWHERE = 0.5

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
    const { burst, crowd, alike } = rules
    return withTimeout(
      pool,
      async (client) => {
        await client.query("SET LOCAL work_mem = '32MB'")
        const limits = [burst, crowd, alike].flatMap(({ ballots, seconds }) => [ballots, seconds])
        const statement = { text: FIND_CHANGES, values: [folderId, ...limits], query_timeout: LARGE_QUERY_MS }
        return (await client.query<FlagChange>(statement)).rows
      },
      seconds,
    )
  }

  /** Returns whether any flag changed. */
  async function update(folderId: number, seconds?: number): Promise<boolean> {
    const changes = await findChanges(folderId, seconds)
    for (const { voters, burst, crowd, noPage, shared, alike } of changes) {
      await pool.query(UPDATE, [folderId, voters, burst, crowd, noPage, shared, alike])
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

// Ballots without a page of their own, made without one or with the token of another ballot, are flagged for that alone: they
// count for no other flag, so that they can neither hide ballots among them nor have those of others flagged.
//
// A ballot is part of a burst when it is one of `ballots` consecutive ones whose first and last are at most `seconds`
// apart; crowds likewise. Their windows are of rows: one pass whatever the number of ballots from one address, since a count
// can drop a row that leaves its window.
//
// Ballots are alike when a network, or the site that it is in, sent so many within the time, nearly all with the same first
// choice and at the other ranks nothing or the same, and that first choice has far fewer of the ballots elsewhere: not counting
// other networks that it dominates. Without ballots elsewhere nothing is known of it. Owners need no page, and their
// ballots are like no others.
const FIND_CHANGES = `
WITH marked AS (
  SELECT *, page_unseen AND NOT owner AS is_no_page, count(*) OVER (PARTITION BY token) > 1 AS is_shared
  FROM ballots WHERE folder_id = $1
), arrived AS MATERIALIZED (
  SELECT *, NOT (is_no_page OR is_shared) AS has_page,
         created_at - lag(created_at, $2::integer - 1) OVER arrivals <= make_interval(secs => $3) AS completes_burst,
         created_at - lag(created_at, $4::integer - 1) OVER arrivals <= make_interval(secs => $5) AS completes_crowd
  FROM marked
  WINDOW arrivals AS (PARTITION BY address, is_no_page OR is_shared ORDER BY created_at, voter)
), placed AS MATERIALIZED (
  SELECT voter, network, first, second, third, created_at
  FROM (
    SELECT arrived.*, network, count(*) OVER (PARTITION BY network) AS of_network
    FROM arrived CROSS JOIN unnest(ARRAY[address, site]) AS network
    WHERE has_page AND NOT owner AND first IS NOT NULL AND network IS NOT NULL
  ) AS in_networks
  WHERE of_network >= $6::integer
), choices AS (
  SELECT network, first, count(*) AS ballots, sum(count(*)) OVER (PARTITION BY network) AS of_network,
         mode() WITHIN GROUP (ORDER BY second) AS second, mode() WITHIN GROUP (ORDER BY third) AS third
  FROM placed GROUP BY network, first
), choices_of_all AS (
  SELECT first, count(*) AS ballots, sum(count(*)) OVER () AS of_folder
  FROM arrived WHERE has_page AND first IS NOT NULL GROUP BY first
), dominated AS (
  SELECT network, first FROM choices WHERE ballots >= ${ALIKE_SHARE} * of_network
), rest AS (
  SELECT favourite AS first, (count(*) FILTER (WHERE arrived.first = favourite))::numeric / count(*) AS elsewhere
  FROM (SELECT DISTINCT first AS favourite FROM dominated) AS favourites CROSS JOIN arrived
  LEFT JOIN dominated AS by_address ON by_address.network = address AND by_address.first = favourite
  LEFT JOIN dominated AS by_site ON by_site.network = site AND by_site.first = favourite
  WHERE has_page AND arrived.first IS NOT NULL AND by_address.network IS NULL AND by_site.network IS NULL
  GROUP BY favourite
), usual AS (
  SELECT choices.*, CASE WHEN dominated.network IS NULL
    THEN (choices_of_all.ballots - choices.ballots) / NULLIF(of_folder - of_network, 0) ELSE rest.elsewhere END AS elsewhere
  FROM choices JOIN choices_of_all USING (first) LEFT JOIN dominated USING (network, first) LEFT JOIN rest USING (first)
), compared AS (
  SELECT voter, network, placed.first, created_at, elsewhere,
         (placed.second IS NULL OR placed.second = usual.second) AND (placed.third IS NULL OR placed.third = usual.third) AS is_usual,
         count(*) OVER (PARTITION BY network ORDER BY created_at RANGE make_interval(secs => $7) PRECEDING) AS of_network
  FROM placed JOIN usual USING (network, first)
), completed AS (
  SELECT voter, network, first, created_at,
         of_network >= $6::integer AND count(*) OVER until >= ${ALIKE_SHARE} * of_network
           AND elsewhere < ${ELSEWHERE} * count(*) OVER until / of_network AS completes_alike
  FROM compared WHERE is_usual
  WINDOW until AS (PARTITION BY network, first ORDER BY created_at RANGE make_interval(secs => $7) PRECEDING)
), same AS (
  SELECT voter, count(*) FILTER (WHERE completes_alike) OVER (PARTITION BY network, first
    ORDER BY created_at RANGE BETWEEN CURRENT ROW AND make_interval(secs => $7) FOLLOWING) > 0 AS is_alike
  FROM completed
), evaluated AS (
  SELECT voter, burst, crowd, no_page, shared_token, alike, is_no_page, is_shared,
         has_page AND count(*) FILTER (WHERE completes_burst) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $2::integer - 1 FOLLOWING) > 0 AS is_burst,
         has_page AND count(*) FILTER (WHERE completes_crowd) OVER (arrivals ROWS BETWEEN CURRENT ROW AND $4::integer - 1 FOLLOWING) > 0 AS is_crowd,
         voter IN (SELECT voter FROM same WHERE is_alike) AS is_alike
  FROM arrived
  WINDOW arrivals AS (PARTITION BY address, has_page ORDER BY created_at, voter)
), changed AS (
  SELECT *, row_number() OVER (PARTITION BY is_burst, is_crowd, is_no_page, is_shared, is_alike ORDER BY voter) / 1000 AS chunk
  FROM evaluated
  WHERE (burst, crowd, no_page, shared_token, alike) <> (is_burst, is_crowd, is_no_page, is_shared, is_alike)
)
SELECT array_agg(voter)::text AS voters, is_burst AS burst, is_crowd AS crowd, is_no_page AS "noPage", is_shared AS shared,
       is_alike AS alike
FROM changed GROUP BY is_burst, is_crowd, is_no_page, is_shared, is_alike, chunk`

// A few at a time, in the order in which votes lock ballots: a vote waits for milliseconds.
const UPDATE = `
WITH locked AS MATERIALIZED (
  SELECT voter FROM ballots WHERE folder_id = $1 AND voter = ANY ($2::uuid[]) ORDER BY voter FOR NO KEY UPDATE
)
UPDATE ballots SET burst = $3, crowd = $4, no_page = $5, shared_token = $6, alike = $7
FROM locked WHERE folder_id = $1 AND ballots.voter = locked.voter`

/** Ballots whose flags change to the same values. */
interface FlagChange {
  /** Array literal of hashes. */
  voters: string
  burst: boolean
  crowd: boolean
  noPage: boolean
  shared: boolean
  alike: boolean
}
