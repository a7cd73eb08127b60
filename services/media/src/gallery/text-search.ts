import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import {
  afterCondition,
  isByPosition,
  isByTaken,
  type ListQuery,
  type ListSlice,
  listCondition,
  MAX_COUNT,
  NO_CONDITION,
  orderBy,
  type PositionRow,
  type PositionsResult,
  positionColumns,
  type Sort,
  toPosition,
} from './list-query.ts'

/*
 * Photos with a term in title, description, city or state. A frequent term is found fastest by a scan of the list, a
 * rare one by indexes: places by `photo_places` and the index of locations, texts by their trigram index. The planner
 * never chooses between the two: it knows neither how often a user's photos have a term nor where in the list they are.
 */

const RARE_RATIO = 3

/** Photos of the list that are scanned before the indexes are used: per requested match, and at least. */
const SCANNED_PER_MATCH = 10
const MIN_SCANNED = 1500
/** And to count: at least, and per photo to be counted. */
const MIN_SCANNED_TO_COUNT = 1500
const SCANNED_PER_COUNTED = 1.5
const ALL = 2 ** 31 - 1

/** Finds the positions of a slice of a list with a text filter. */
export async function searchPositions(db: Database, query: ListQuery, slice: ListSlice): Promise<PositionsResult> {
  const { skip = 0, take } = slice
  const result = await findFirst(db, query, slice, skip + take)
  return { ...result, positions: result.positions.slice(skip) }
}

/** Counts the matches of a whole list up to `countTo + 1`. */
export async function countMatches(db: Database, query: ListQuery, countTo: number, isRare: boolean): Promise<number> {
  const indexed = isIndexed(query)
  const most = countTo + 1
  const max = Prisma.sql`${most}::int`
  const excludedPlaces = Prisma.sql`(SELECT array_agg(place) FROM places)`
  const few = Math.max(MIN_SCANNED_TO_COUNT, Math.ceil(countTo * SCANNED_PER_COUNTED))
  const photos = scannedPhotos(query, listCondition(query, 'newest'), { sort: 'newest' }, indexed ? few : ALL)
  const scan = Prisma.sql`SELECT 1 FROM (${photos}) AS next WHERE hit LIMIT ${max}`
  // Each way of counting runs only when the cheaper ones before it were not sufficient.
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH places AS MATERIALIZED (${matchingPlaces(query)}),
    there AS MATERIALIZED (SELECT ${countAtPlaces(query, most)} AS count),
    soon AS (SELECT count(*) FROM (${indexed && isRare ? Prisma.sql`SELECT LIMIT 0` : scan}) AS hits)
    SELECT (CASE
      WHEN (SELECT count FROM there) >= ${max} THEN ${max}
      WHEN ${!indexed} OR (SELECT count FROM soon) >= ${max} THEN (SELECT count FROM soon)
      ELSE least(${max}, (SELECT count FROM there) + (SELECT count(*) FROM ${matchingTexts(query, excludedPlaces, most)}))
    END)::int AS count`
  return row.count
}

/** The first `count` matches: by a short scan, else by the indexes, else by a scan of the whole list. */
async function findFirst(db: Database, query: ListQuery, slice: ListSlice, count: number): Promise<PositionsResult> {
  const scanned = await scanList(db, query, slice, count, Math.max(MIN_SCANNED, count * SCANNED_PER_MATCH))
  if (scanned.positions.length === count) return scanned
  const indexed = isIndexed(query) ? await searchIndexes(db, query, slice, count) : null
  return indexed ?? scanList(db, query, slice, count, ALL)
}

/** The trigram index finds only terms with three letters or digits in a row, and knows nothing of positions and flights. */
function isIndexed(query: ListQuery): boolean {
  const { q, flight } = query.filter
  return /[\p{L}\p{N}]{3}/u.test(q ?? '') && flight === null && !isByPosition(query)
}

/** The first `count` matches among the next `scanLimit` photos of the list. Stops when it has found them. */
async function scanList(
  db: Database,
  query: ListQuery,
  slice: ListSlice,
  count: number,
  scanLimit: number,
): Promise<PositionsResult> {
  const photos = scannedPhotos(
    query,
    Prisma.sql`${listCondition(query, slice.sort)} ${afterCondition(slice)}`,
    slice,
    scanLimit,
  )
  const rows = await db.$queryRaw<(PositionRow & { place: number })[]>`
    SELECT id, created_at, taken, place FROM (SELECT *, row_number() OVER ()::int AS place FROM (${photos}) AS next) AS numbered
    WHERE hit LIMIT ${count}::int`
  const isRare = (rows.at(-1)?.place ?? 0) > rows.length * RARE_RATIO
  return { positions: rows.map(toPosition), total: null, isRare }
}

/** The next `scanLimit` photos of the list, with whether they match. */
function scannedPhotos(
  query: ListQuery,
  conditions: Prisma.Sql,
  { sort }: Pick<ListSlice, 'sort'>,
  scanLimit: number,
): Prisma.Sql {
  return Prisma.sql`
    SELECT ${positionColumns(sort)}, ${textCondition(query)} AS hit
    FROM photos WHERE ${conditions} ORDER BY ${orderBy(sort)} LIMIT ${scanLimit}::int`
}

/** Whether a photo has the text of the list. No index has this condition. */
export function textCondition({ scope, filter: { q } }: ListQuery): Prisma.Sql {
  return Prisma.sql`(search LIKE containing(${q})
    OR coalesce(location IN (SELECT places_like(${scope.userId}::int, containing(${q}))), false))`
}

/** The first `count` matches and their total by the indexes of places and texts; null when too many texts match. */
async function searchIndexes(
  db: Database,
  query: ListQuery,
  slice: ListSlice,
  count: number,
): Promise<PositionsResult | null> {
  const { sort } = slice
  const columns = positionColumns(sort)
  const atPlace = Prisma.sql`${listCondition(query, sort, Prisma.sql`location = place`)} ${afterCondition(slice)}`
  const rows = await db.$queryRaw<(Partial<PositionRow> & { texts: number; total: number })[]>`
    WITH places AS MATERIALIZED (${matchingPlaces(query)}),
    texts AS MATERIALIZED (${withDates(sort, matchingTexts(query, Prisma.sql`NULL`, MAX_COUNT + 1))}),
    counted AS (
      SELECT (SELECT count(*) FROM texts)::int AS texts, least(${MAX_COUNT + 1}::int, ${countAtPlaces(query, MAX_COUNT + 1)} + (
        SELECT count(*) FROM texts WHERE location IS NULL OR location NOT IN (SELECT place FROM places)))::int AS total),
    found AS (
      SELECT photo.id, photo.created_at, photo.taken FROM places CROSS JOIN LATERAL (
        SELECT ${columns} FROM photos WHERE ${atPlace} ORDER BY ${orderBy(sort)} LIMIT ${count}::int) AS photo
      UNION
      SELECT ${columns} FROM texts WHERE true ${afterCondition(slice)}),
    shown AS (SELECT id, created_at, taken FROM found ORDER BY ${orderBy(sort)} LIMIT ${count}::int)
    SELECT id, created_at, taken, texts, total FROM counted LEFT JOIN shown ON true ORDER BY ${orderBy(sort)}`
  const [{ texts, total } = { texts: 0, total: 0 }] = rows
  if (texts > MAX_COUNT) return null
  const positions = rows.flatMap(({ id, created_at, taken = null }) =>
    id && created_at ? toPosition({ id, created_at, taken }) : [],
  )
  return { positions, total }
}

/** Photos of the index of texts, with what their order needs. */
function withDates(sort: Sort, photos: Prisma.Sql): Prisma.Sql {
  if (!isByTaken(sort)) return Prisma.sql`SELECT * FROM ${photos}`
  return Prisma.sql`
    SELECT found.id, found.created_at, found.location, photos.date_taken FROM ${photos} AS found JOIN photos USING (id)`
}

/** The places that match, with the number of photos at each. */
function matchingPlaces({ scope, filter: { q, location } }: ListQuery): Prisma.Sql {
  const atLocation = location === null ? NO_CONDITION : Prisma.sql`AND location = ${location}`
  return Prisma.sql`
    SELECT location AS place, sum(count) AS count FROM photo_places
    WHERE user_id = ${scope.userId}::int AND search LIKE containing(${q}) AND location IS NOT NULL ${atLocation}
    GROUP BY location`
}

/** The number of photos at the places of the table `places`: from `photo_places`, or counted up to `most`. */
function countAtPlaces(query: ListQuery, most: number): Prisma.Sql {
  const { since, camera, flight } = query.filter
  const isUnfiltered = since === null && camera === null && flight === null && !isByPosition(query)
  if (query.scope.folderId === null && isUnfiltered) {
    return Prisma.sql`(SELECT coalesce(sum(count), 0) FROM places)`
  }
  const atPlace = listCondition(query, 'newest', Prisma.sql`location = place`)
  return Prisma.sql`
    (SELECT count(*) FROM (
      SELECT 1 FROM places CROSS JOIN LATERAL (SELECT 1 FROM photos WHERE ${atPlace} LIMIT ${most}::int) AS photo
      LIMIT ${most}::int) AS there)`
}

/** Photos whose texts match, by the index of texts, at most `most`. Photos at `excludedPlaces` are left out. */
function matchingTexts(
  { scope, filter: { q, location, camera, since } }: ListQuery,
  excludedPlaces: Prisma.Sql,
  most: number,
): Prisma.Sql {
  return Prisma.sql`photos_like(${scope.userId}::int, containing(${q}), ${scope.folderId}::int, ${location},
    ${excludedPlaces}, ${camera}, ${since}::timestamptz, ${most}::int)`
}
