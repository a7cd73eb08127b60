import { inTransaction, type Logger } from '@skyfolio/kit'
import type pg from 'pg'

/*
 * Flights of a user. Photos with a date and a position are ordered by aircraft, the camera's clock and id. A flight ends where
 * the next photo comes too late or is too far away; its id is the smallest of its photos. So flights follow from the set of
 * photos, whatever the order of their uploads and corrections. `flight_photos` holds the photos as they were when their flight was
 * determined: between two photos that are unchanged and still neighbours nothing begins or ends, so a change
 * affects the flights of its neighbours, before and after it, and no others.
 */

/** A longer time between two photos of an aircraft separates two flights: longer than changing a battery takes. */
const MAX_GAP_SECONDS = 15 * 60
/** So does a longer way: further than a drone may be flown in sight of its pilot, there and back. */
const MAX_DISTANCE_METRES = 5000

/** What grouping did, in photos. */
export interface Grouping {
  /** Photos of the flights that were determined again. */
  examined: number
  /** Photos whose flight has changed. */
  moved: number
  /** Flights that were added, changed or removed. */
  flights: number
}

/** Changes per transaction: each reads the flights of its neighbourhood once. */
const BATCH = 5000
/** Beside a batch there may be flights of very many photos; a statement that is cut off would be again. */
const STATEMENT_TIMEOUT_MS = 600_000
/** The server says that a statement took too long; this is for one that says nothing. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000
/** Of advisory locks: 'flig'. */
const LOCK = 0x666c6967

const CANDIDATES = `
  SELECT id AS photo_id, user_id, coalesce(aircraft, concat_ws(' ', metadata->>'Make', metadata->>'Model')) AS aircraft,
    camera_time(date_taken) AS taken_at, latitude::float AS latitude, longitude::float AS longitude
  FROM photos
  WHERE user_id = $1 AND purpose = 'gallery' AND latitude IS NOT NULL AND longitude IS NOT NULL
    AND camera_time(date_taken) IS NOT NULL
    -- When a file was changed says nothing of a flight.
    AND date_taken IS DISTINCT FROM metadata->>'ModifyDate'`
/** Not by `NOT IN`, which compares each photo with all of them when there are too many for the memory of a statement. */
const IS_NO_CANDIDATE = `NOT EXISTS (SELECT FROM (${CANDIDATES}) AS candidates WHERE candidates.photo_id = known.photo_id)`
const COLUMNS = 'photo_id, user_id, aircraft, taken_at, latitude, longitude'
const ENTER = `
  ON CONFLICT (photo_id) DO UPDATE SET aircraft = EXCLUDED.aircraft, taken_at = EXCLUDED.taken_at,
    latitude = EXCLUDED.latitude, longitude = EXCLUDED.longitude
  WHERE (known.aircraft, known.taken_at, known.latitude, known.longitude)
    IS DISTINCT FROM (EXCLUDED.aircraft, EXCLUDED.taken_at, EXCLUDED.latitude, EXCLUDED.longitude)`

/** Locks the user's flights until the end of the transaction. */
export const LOCK_FLIGHTS = `SELECT pg_advisory_xact_lock(${LOCK}, $1::int)::text`
const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(${LOCK}, $1::int) AS locked`

/**
 * A neighbour is found in one step by the index of the order. Without statistics, or with old ones, the planner would sort all
 * photos before it, for each photo; and a plan for any list of ids compares each photo with all of them.
 */
const SETTINGS = `
  SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off;
  SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`

const TAKE_CHANGES = `
  DELETE FROM flight_changes
  WHERE seq IN (SELECT seq FROM flight_changes WHERE user_id = $1 ORDER BY seq LIMIT ${BATCH})
  RETURNING photo_id`
/** The flights of changed photos and of their neighbours: the photos before and after, of the same aircraft. */
const FIND_NEIGHBOURS = `
  SELECT changed.flight_id AS flight, before.flight_id AS before, after.flight_id AS after
  FROM flight_photos AS changed
  LEFT JOIN LATERAL (
    SELECT flight_id FROM flight_photos AS photo WHERE user_id = $1 AND aircraft = changed.aircraft
      AND (taken_at, photo_id) < (changed.taken_at, changed.photo_id)
    ORDER BY taken_at DESC, photo_id DESC LIMIT 1) AS before ON true
  LEFT JOIN LATERAL (
    SELECT flight_id FROM flight_photos AS photo WHERE user_id = $1 AND aircraft = changed.aircraft
      AND (taken_at, photo_id) > (changed.taken_at, changed.photo_id)
    ORDER BY taken_at, photo_id LIMIT 1) AS after ON true
  WHERE user_id = $1 AND photo_id = ANY ($2::int[])`
const REMOVE_CHANGED = `
  DELETE FROM flight_photos AS known WHERE user_id = $1 AND photo_id = ANY ($2::int[]) AND ${IS_NO_CANDIDATE}`
const ENTER_CHANGED = `
  INSERT INTO flight_photos AS known (${COLUMNS}) ${CANDIDATES} AND id = ANY ($2::int[]) ${ENTER}`

/**
 * Determines the flights of photos of a user, whole flights and changed photos: each photo looks at the one before it. Between
 * two photos that were neighbours in a flight and are unchanged there is no other; between two others there may be some.
 */
const REGROUP = `
  WITH pairs AS (
    SELECT photo_id, aircraft, taken_at, flight_id, lag(photo_id) OVER earlier AS before_id,
      lag(flight_id) OVER earlier AS before_flight,
      coalesce(extract(epoch FROM taken_at - lag(taken_at) OVER earlier) > ${MAX_GAP_SECONDS} OR metres_between(
        lag(latitude) OVER earlier, lag(longitude) OVER earlier, latitude, longitude) > ${MAX_DISTANCE_METRES},
        true) AS is_apart
    FROM flight_photos WHERE user_id = $1 AND (flight_id = ANY ($2::int[]) OR photo_id = ANY ($3::int[]))
    WINDOW earlier AS (PARTITION BY aircraft ORDER BY taken_at, photo_id)
  ), steps AS (
    SELECT pairs.*, is_apart OR coalesce(neighbour.photo_id <> before_id, false) AS is_first
    FROM pairs LEFT JOIN LATERAL (
      SELECT photo.photo_id FROM flight_photos AS photo
      WHERE NOT is_apart AND (pairs.flight_id IS DISTINCT FROM before_flight OR pairs.photo_id = ANY ($3::int[])
          OR before_id = ANY ($3::int[]))
        AND photo.user_id = $1 AND photo.aircraft = pairs.aircraft
        AND (photo.taken_at, photo.photo_id) < (pairs.taken_at, pairs.photo_id)
      ORDER BY photo.taken_at DESC, photo.photo_id DESC LIMIT 1) AS neighbour ON true
  ), numbered AS (
    SELECT photo_id, flight_id, aircraft,
      count(*) FILTER (WHERE is_first) OVER (PARTITION BY aircraft ORDER BY taken_at, photo_id) AS number
    FROM steps
  ), grouped AS (
    SELECT photo_id, flight_id, min(photo_id) OVER (PARTITION BY aircraft, number) AS new_id FROM numbered
  ), moved AS (
    UPDATE flight_photos SET flight_id = new_id FROM grouped
    WHERE flight_photos.photo_id = grouped.photo_id AND grouped.flight_id IS DISTINCT FROM new_id
    RETURNING 1
  )
  SELECT count(*)::int AS examined, (SELECT count(*) FROM moved)::int AS moved,
    coalesce(array_agg(DISTINCT new_id), '{}') AS flights
  FROM grouped`

const SAVE_FLIGHTS = `
  WITH members AS (
    SELECT flight_id, taken_at, photo_id, latitude, longitude, (longitude + 360)::numeric % 360 AS east_of_greenwich,
      row_number() OVER flight AS place, count(*) OVER (PARTITION BY flight_id) AS total,
      coalesce(metres_between(lag(latitude) OVER flight, lag(longitude) OVER flight, latitude, longitude), 0) AS metres
    FROM flight_photos WHERE user_id = $1 AND flight_id = ANY ($2::int[])
    WINDOW flight AS (PARTITION BY flight_id ORDER BY taken_at, photo_id)
  ), sums AS (
    SELECT flight_id, min(taken_at) AS started_at, max(taken_at) AS ended_at, count(*) AS photos,
      sum(metres ORDER BY place) AS distance,
      max((metadata->'drone'->>'RelativeAltitude')::float) AS greatest_height,
      mode() WITHIN GROUP (ORDER BY ROW(coalesce(city, ''), coalesce(state, ''))::flight_place)
        FILTER (WHERE city <> '' OR state <> '') AS place,
      max(members.longitude) - min(members.longitude)
        > greatest(180, max(east_of_greenwich) - min(east_of_greenwich)) AS crosses,
      min(members.longitude) AS west, max(members.longitude) AS east,
      min(east_of_greenwich)::float AS west_crossing, max(east_of_greenwich)::float AS east_crossing,
      min(members.latitude) AS south, max(members.latitude) AS north,
      array_agg(photo_id ORDER BY place) FILTER (WHERE (place - 1) * 4 / total <> (place - 2) * 4 / total OR place = 1)
        AS covers
    FROM members LEFT JOIN photos ON photos.id = photo_id GROUP BY flight_id
  )
  INSERT INTO flights AS known (id, user_id, started_at, ended_at, photos, distance, greatest_height, city, state, west, south,
    east, north, covers)
  SELECT flight_id, $1, started_at, ended_at, photos, distance, greatest_height, nullif((place).city, ''),
    nullif((place).state, ''), CASE WHEN crosses THEN west_crossing ELSE west END, south,
    CASE WHEN crosses THEN east_crossing ELSE east END, north, covers
  FROM sums
  ON CONFLICT (id) DO UPDATE SET started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at, photos = EXCLUDED.photos,
    distance = EXCLUDED.distance, greatest_height = EXCLUDED.greatest_height, city = EXCLUDED.city, state = EXCLUDED.state,
    west = EXCLUDED.west, south = EXCLUDED.south, east = EXCLUDED.east, north = EXCLUDED.north, covers = EXCLUDED.covers
  WHERE known IS DISTINCT FROM EXCLUDED`
const REMOVE_FLIGHTS = `
  DELETE FROM flights WHERE user_id = $1 AND id = ANY ($2::int[])
    AND NOT EXISTS (SELECT FROM flight_photos WHERE flight_id = flights.id)`

/** Flights by where they are; null: there is none. */
type Neighbours = Record<'flight' | 'before' | 'after', number | null>
type Regrouped = Omit<Grouping, 'flights'> & { flights: number[] }

/** Groups the photos that were changed, until none is left. */
export async function groupChangedPhotos(pool: pg.Pool, logger: Logger): Promise<void> {
  for (;;) {
    const due = await pool.query<{ userId: number }>('SELECT DISTINCT user_id AS "userId" FROM flight_changes')
    let isComplete = true
    for (const { userId } of due.rows) {
      try {
        // Another process groups them: this one does not wait for it.
        if (!(await regroupChanges(pool, userId))) isComplete = false
      } catch (error) {
        logger.warn({ err: error, userId }, 'flights not grouped, will retry')
        isComplete = false
      }
    }
    if (due.rows.length === 0 || !isComplete) return
  }
}

/**
 * Brings the flights of a user up to date with changed photos, at most a batch of them. Returns null while another process
 * does so.
 */
export function regroupChanges(pool: pg.Pool, userId: number): Promise<Grouping | null> {
  return inTransaction(pool, async (client) => {
    const query = <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]) =>
      client.query<Row>({ text, values, query_timeout: SILENCE_MS } as pg.QueryConfig)
    const [lock] = (await query<{ locked: boolean }>(TRY_LOCK, userId)).rows
    if (!lock?.locked) return null
    await client.query(SETTINGS)
    const taken = await query<{ photo_id: number }>(TAKE_CHANGES, userId)
    const ids = [...new Set(taken.rows.map(({ photo_id }) => photo_id))]
    const before = await query<Neighbours>(FIND_NEIGHBOURS, userId, ids)
    await query(REMOVE_CHANGED, userId, ids)
    await query(ENTER_CHANGED, userId, ids)
    const after = await query<Neighbours>(FIND_NEIGHBOURS, userId, ids)
    const affected = [...new Set([...before.rows, ...after.rows].flatMap((row) => Object.values(row)))].filter(
      (id) => id !== null,
    )
    const { rows } = await query<Regrouped>(REGROUP, userId, affected, ids)
    const [regrouped] = rows as [Regrouped]
    const saved = await query(SAVE_FLIGHTS, userId, regrouped.flights)
    const removed = await query(REMOVE_FLIGHTS, userId, affected)
    return { ...regrouped, flights: (saved.rowCount ?? 0) + (removed.rowCount ?? 0) }
  })
}
