import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import {
  afterCondition,
  beforeCondition,
  isByPosition,
  type ListQuery,
  type ListSlice,
  listCondition,
  MAX_COUNT_TO,
  orderBy,
  type Position,
  type PositionRow,
  type PositionsResult,
  positionColumns,
  type Sort,
  takenRange,
  toPosition,
} from './list-query.ts'

/*
 * Photos with all words of a text, wherever in the column `search`. Frequent words are found fastest by a scan of the list, rare
 * ones by their trigram index. The planner never chooses between the two: it knows neither how often a user's photos have
 * a word nor where in the list they are.
 */

const RARE_RATIO = 3

/** Photos of the list that are scanned before the indexes are used: per requested match, and at least. */
const SCANNED_PER_MATCH = 10
const MIN_SCANNED = 2000
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
  const few = Math.max(MIN_SCANNED_TO_COUNT, Math.ceil(countTo * SCANNED_PER_COUNTED))
  const photos = scannedPhotos(query, listCondition(query, 'newest'), { sort: 'newest' }, indexed ? few : ALL)
  const scan = Prisma.sql`SELECT 1 FROM (${photos}) AS next WHERE hit LIMIT ${max}`
  // The index is read only when the scan was not sufficient.
  const [row] = await db.$queryRaw<[{ count: number }]>`
    WITH soon AS (SELECT count(*) FROM (${indexed && isRare ? Prisma.sql`SELECT LIMIT 0` : scan}) AS hits)
    SELECT (CASE
      WHEN ${!indexed} OR (SELECT count FROM soon) >= ${max} THEN (SELECT count FROM soon)
      ELSE (SELECT count(*) FROM ${indexedMatches(query, most)})
    END)::int AS count`
  return row.count
}

/** Counts the matches before a position; null when they are more than `MAX_COUNT_TO`. */
export async function countMatchesBefore(
  db: Database,
  query: ListQuery,
  before: Position,
  sort: Sort,
): Promise<number | null> {
  const most = MAX_COUNT_TO + 1
  if (isIndexed(query)) {
    const [row] = await db.$queryRaw<[{ total: number; index: number }]>`
      SELECT count(*)::int AS total, (count(*) FILTER (WHERE true ${beforeCondition(before, sort)}))::int AS index
      FROM ${indexedMatches(query, most)}`
    if (row.total < most) return row.index
  }
  const conditions = Prisma.sql`${listCondition(query, sort)} ${beforeCondition(before, sort)}`
  const [row] = await db.$queryRaw<[{ index: number }]>`
    SELECT count(*)::int AS index FROM (
      SELECT 1 FROM (${scannedPhotos(query, conditions, { sort }, ALL)}) AS next WHERE hit LIMIT ${most}::int) AS hits`
  return row.index < most ? row.index : null
}

/** The first `count` matches: by a short scan, else by the index, else by a scan of the whole list. */
async function findFirst(db: Database, query: ListQuery, slice: ListSlice, count: number): Promise<PositionsResult> {
  const scanned = await scanList(db, query, slice, count, Math.max(MIN_SCANNED, count * SCANNED_PER_MATCH))
  if (scanned.positions.length === count) return scanned
  if (!isIndexed(query)) return scanList(db, query, slice, count, ALL)
  const indexed = await searchIndex(db, query, slice, count)
  if (indexed.total <= MAX_COUNT_TO) return indexed
  // The first of so many are found sooner by a scan of the whole list than by sorting them.
  return { ...(await scanList(db, query, slice, count, ALL)), total: indexed.total }
}

/** Letters that the SQL function `folded` removes. */
const FOLDED_AWAY = /[ʼʻ\u0640]/g

/** The trigram index finds only words with three letters or digits in a row, and knows nothing of positions and flights. */
function isIndexed(query: ListQuery): boolean {
  const { q, flight } = query.filter
  return (
    /[\p{L}\p{N}]{3}/u.test((q ?? '').normalize().replaceAll(FOLDED_AWAY, '')) &&
    flight === null &&
    !isByPosition(query)
  )
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
    SELECT id, created_at, sort_key, place FROM (SELECT *, row_number() OVER ()::int AS place FROM (${photos}) AS next) AS numbered
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

/**
 * Whether a photo has the text of the list. No index has this condition. Without words it is looked for as it is written. Sub-selects,
 * since a generic plan would fold the query for every photo.
 */
export function textCondition({ filter: { q } }: ListQuery): Prisma.Sql {
  const patterns = Prisma.sql`(SELECT word_patterns(${q}))`
  return Prisma.sql`search LIKE ALL (${patterns}::text[]) AND (${patterns} <> '{}' OR strpos(concat_ws(E'\n', title, description, city, state), ${q}) > 0)`
}

/** The first `count` matches by the index, among `MAX_COUNT_TO + 1` of all, and their number. */
async function searchIndex(
  db: Database,
  query: ListQuery,
  slice: ListSlice,
  count: number,
): Promise<PositionsResult & { total: number }> {
  const { sort } = slice
  const rows = await db.$queryRaw<(Partial<PositionRow> & { total: number })[]>`
    WITH matches AS MATERIALIZED (SELECT * FROM ${indexedMatches(query, MAX_COUNT_TO + 1)}),
    shown AS (
      SELECT ${positionColumns(sort)} FROM matches WHERE true ${afterCondition(slice)}
      ORDER BY ${orderBy(sort)} LIMIT ${count}::int)
    SELECT id, created_at, sort_key, total FROM (SELECT count(*)::int AS total FROM matches) AS counted
    LEFT JOIN shown ON true ORDER BY ${orderBy(sort)}`
  const total = rows[0]?.total ?? 0
  const positions = rows.flatMap(({ id, created_at, sort_key = null }) =>
    id && created_at ? toPosition({ id, created_at, sort_key }) : [],
  )
  return { positions, total }
}

/** At most `most` of all matches, in no order, with `created_at`, `date_taken` and `own_position`. */
export function anyMatches(query: ListQuery, most: number): Prisma.Sql {
  if (isIndexed(query)) return indexedMatches(query, most)
  return Prisma.sql`(SELECT id, created_at, date_taken, own_position FROM photos
    WHERE ${listCondition(query, 'newest')} AND ${textCondition(query)} LIMIT ${most}::int) AS matching`
}

/** Matches by the index, at most `most`. */
function indexedMatches({ scope, filter: { q, location, camera, since, taken } }: ListQuery, most: number): Prisma.Sql {
  const { low, high } = taken ? takenRange(taken) : { low: null, high: null }
  return Prisma.sql`photos_like(${scope.userId}::int, word_patterns(${q}), ${scope.folderId}::int, ${location}, ${camera},
    ${since}::timestamptz, ${low}::text, ${high}::text, ${most}::int)`
}
