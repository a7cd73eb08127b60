import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { areaAround, boxesOf } from './area.ts'
import {
  afterCondition,
  beforeCondition,
  countInRanges,
  galleryByTaken,
  isByPosition,
  isByTaken,
  type ListQuery,
  type ListSlice,
  listCondition,
  MAX_COUNT,
  matchesNothing,
  NO_CONDITION,
  orderBy,
  type Position,
  type PositionRow,
  type PositionsResult,
  positionColumns,
  positionCondition,
  type Sort,
  sortKey,
  toPosition,
} from './list-query.ts'
import { countMatches, countMatchesBefore, searchPositions } from './text-search.ts'
import { coverBoxes, type KeyRange } from './web-mercator.ts'

/** From this many on, skipping one by one is slower than finding the place first. */
const FAR_SKIP = 1000

/** Finds the positions of a slice of a list, in order. */
export async function findPositions(db: Database, list: ListQuery, slice: ListSlice): Promise<PositionsResult> {
  if (matchesNothing(list)) return { positions: [], total: 0 }
  const query = await narrow(db, list)
  if (query.filter.q !== null) return searchPositions(db, query, slice)
  const isFar = hasKnownLength(query) && !slice.after && (slice.skip ?? 0) > FAR_SKIP
  return { positions: await (isFar ? readFarSlice(db, query, slice) : readSlice(db, query, slice)), total: null }
}

/** Finds all positions of a list in batches of `size`. Photos that come to the end meanwhile are found too. */
export async function* findAllPositions(
  db: Database,
  list: ListQuery,
  sort: Sort,
  size: number,
): AsyncGenerator<Position[]> {
  const query = matchesNothing(list) ? list : await narrow(db, list)
  let after: Position | null = null
  for (;;) {
    const { positions }: PositionsResult = await findPositions(db, query, { sort, after, take: size })
    if (positions.length > 0) yield positions
    if (positions.length < size) return
    after = positions.at(-1) ?? null
  }
}

/**
 * Counts the photos of a whole list: exactly for a whole gallery, one location or camera of it, and a whole folder;
 * otherwise exactly up to `countTo`, and one more than that means that there are more. The result for a slice of the same
 * list saves work.
 */
export async function countListed(
  db: Database,
  list: ListQuery,
  countTo = MAX_COUNT,
  { total = null, isRare = false }: Partial<PositionsResult> = {},
): Promise<number> {
  const { q } = list.filter
  if (matchesNothing(list)) return 0
  const query = await narrow(db, list)
  if (total !== null) return Math.min(total, countTo + 1)
  if (q !== null) return countMatches(db, query, countTo, isRare)
  if (hasKnownLength(query)) return readLength(db, query)
  return countRows(db, query, countTo + 1)
}

/**
 * The number of photos before one in the order of a list, also where the list does not have it, or no longer: it is between its
 * neighbours. Null when it is too far in a search. Undefined for what is not in the user's gallery.
 */
export async function findIndex(
  db: Database,
  list: ListQuery,
  sort: Sort,
  id: number,
): Promise<number | null | undefined> {
  const { userId } = list.scope
  const [row] = await db.$queryRaw<PositionRow[]>`
    SELECT ${positionColumns(sort)} FROM photos
    WHERE id = ${id}::int AND user_id = ${userId}::int AND purpose = 'gallery'`
  if (!row) return undefined
  if (matchesNothing(list)) return 0
  const query = await narrow(db, list)
  const before = toPosition(row)
  if (query.filter.q !== null) return countMatchesBefore(db, query, before, sort)
  if (isWholeGallery(query)) return sumCountsBefore(db, userId, before, sort)
  const [counted] = await db.$queryRaw<[{ index: number }]>`
    SELECT count(*)::int AS index FROM photos WHERE ${listCondition(query, sort)} ${beforeCondition(before, sort)}`
  return counted.index
}

/** Whether the list has no filter but its folder and those by position. */
function isByPositionOnly(query: ListQuery): boolean {
  const { q, since, taken, location, camera, flight } = query.filter
  return isByPosition(query) && [q, since, taken, location, camera, flight].every((value) => value === null)
}

/** Whether a table holds the length of the list: of a gallery, one location or camera of it, and a folder. */
function hasKnownLength(query: ListQuery): boolean {
  const { q, since, taken, location, camera, flight } = query.filter
  const isUnfiltered = [q, since, taken, flight].every((value) => value === null) && !isByPosition(query)
  return isUnfiltered && [query.scope.folderId, location, camera].filter((value) => value !== null).length <= 1
}

export function isWholeGallery(query: ListQuery): boolean {
  return query.scope.folderId === null && isWholeScope(query)
}

/** Whether the list has no filter but its folder. */
export function isWholeScope(query: ListQuery): boolean {
  const { location, camera } = query.filter
  return hasKnownLength(query) && location === null && camera === null
}

async function readSlice(db: Database, query: ListQuery, slice: ListSlice): Promise<Position[]> {
  const { sort, skip = 0, take } = slice
  const rows = await db.$queryRaw<PositionRow[]>`
    SELECT ${positionColumns(sort)} FROM photos WHERE ${listCondition(query, sort)} ${afterCondition(slice)}
    ORDER BY ${orderBy(sort)} OFFSET ${skip}::int LIMIT ${take}::int`
  return rows.map(toPosition)
}

/** Skips many photos of a list of known length: of a whole gallery by the counts of hours or days, else from the nearer end. */
async function readFarSlice(db: Database, query: ListQuery, slice: ListSlice): Promise<Position[]> {
  const { sort, skip = 0, take } = slice
  if (isWholeGallery(query)) return findByCounts(db, query.scope.userId, slice)
  const total = await readLength(db, query)
  if (skip >= total) return []
  // Only the orders by upload are each other backwards: photos without a date, or without a position, are always last.
  const isByUpload = sort === 'newest' || sort === 'oldest'
  if (!isByUpload || skip < total / 2) return readSlice(db, query, slice)
  const behind = Math.max(0, total - skip - take)
  const reversed = { sort: sort === 'newest' ? 'oldest' : 'newest', skip: behind } as const
  return (await readSlice(db, query, { ...reversed, take: total - skip - behind })).reverse()
}

/** The length of a list that `hasKnownLength`. */
async function readLength(db: Database, { scope, filter: { location, camera } }: ListQuery): Promise<number> {
  const { userId, folderId } = scope
  if (folderId !== null) {
    const [row] = await db.$queryRaw<[{ count: number }]>`
      SELECT coalesce(sum(photos), 0)::int AS count FROM photo_sums
      WHERE user_id = ${userId}::int AND purpose = 'gallery' AND folder_id = ${folderId}::int`
    return row.count
  }
  if (camera !== null) {
    const [row] = await db.$queryRaw<[{ count: number }]>`
      SELECT coalesce(sum(count), 0)::int AS count FROM photo_cameras WHERE user_id = ${userId}::int AND camera = ${camera}`
    return row.count
  }
  const atLocation = location === null ? NO_CONDITION : Prisma.sql`AND location = ${location}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT coalesce(sum(count), 0)::int AS count FROM photo_places WHERE user_id = ${userId}::int ${atLocation}`
  return row.count
}

async function countRows(db: Database, query: ListQuery, limit: number): Promise<number> {
  const ranges = isByPositionOnly(query) ? rangesOf(query) : null
  if (ranges) return countInRanges(db, query.scope, ranges, positionCondition(query), limit)
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM photos WHERE ${listCondition(query, 'newest')} LIMIT ${limit}::int) AS counted`
  return row.count
}

/*
 * Photos in an area are found by the index of the map when they are few, wherever in the list they are. When they are many,
 * a scan of the list soon finds some, and its other conditions have an index. The planner never chooses between the two.
 */

/** With more photos in its area, a list is scanned. */
const MAX_CANDIDATES = 3000

/** The query with its candidates, if its filter by position leaves few. */
export async function narrow(db: Database, query: ListQuery): Promise<ListQuery> {
  const ranges = rangesOf(query)
  return ranges && !query.candidates ? narrowTo(db, query, ranges) : query
}

/** The query with these candidates, if few photos of its scope and area are in these ranges of the map. */
export async function narrowTo(db: Database, query: ListQuery, ranges: KeyRange[]): Promise<ListQuery> {
  const count = await countInRanges(db, query.scope, ranges, positionCondition(query), MAX_CANDIDATES + 1)
  return count > MAX_CANDIDATES ? query : { ...query, candidates: ranges }
}

/** Ranges of the map with all photos of a list that is filtered by position, and some others. */
function rangesOf({ filter: { area, near } }: ListQuery): KeyRange[] | null {
  const bounds = near ? areaAround(near) : area
  return bounds && coverBoxes(boxesOf(bounds))
}

/**
 * Finds the positions of a slice of a whole gallery. `photo_hours` and `photo_taken_days` hold the number of a user's photos
 * of each hour of upload and of each day by the camera's clock. The slice starts in the part in which the sum of these
 * numbers exceeds the photos to skip, so only photos of that part are skipped one by one.
 */
export async function findByCounts(
  db: Pick<Database, '$queryRaw'>,
  userId: number,
  { sort, skip = 0, take }: ListSlice,
): Promise<Position[]> {
  const { parts, order, photos } = isByTaken(sort) ? daysOf(userId, sort) : hoursOf(userId, sort)
  const rows = await db.$queryRaw<PositionRow[]>`
    WITH start AS (
      SELECT part, ${skip}::int - (reached - photos) AS skip FROM (
        SELECT part, photos, sum(photos) OVER (ORDER BY ${order}) AS reached FROM (${parts}) AS counted) AS parts
      WHERE reached > ${skip}::int ORDER BY ${order} LIMIT 1)
    SELECT ${positionColumns(sort)} FROM photos WHERE ${photos}
    ORDER BY ${orderBy(sort)} OFFSET (SELECT skip FROM start) LIMIT ${take}::int`
  return rows.map(toPosition)
}

/** Counts the photos before a position of a whole gallery: only those of its hour or day are counted one by one. */
async function sumCountsBefore(db: Database, userId: number, before: Position, sort: Sort): Promise<number> {
  const { parts, order, photos, partOf } = isByTaken(sort) ? daysOf(userId, sort) : hoursOf(userId, sort)
  const [row] = await db.$queryRaw<[{ index: number }]>`
    WITH start AS (
      SELECT part, before FROM (
        SELECT part, sum(photos) OVER (ORDER BY ${order}) - photos AS before FROM (${parts}) AS counted) AS parts
      WHERE part = ${partOf(before)})
    SELECT (coalesce((SELECT before FROM start), 0) + count(*))::int AS index
    FROM photos WHERE ${photos} ${beforeCondition(before, sort)}`
  return row.index
}

function hoursOf(userId: number, sort: Sort) {
  const from =
    sort === 'newest'
      ? Prisma.sql`created_at < (SELECT part + interval '1 hour' FROM start)`
      : Prisma.sql`created_at >= (SELECT part FROM start)`
  return {
    parts: Prisma.sql`SELECT hour AS part, photos FROM photo_hours WHERE user_id = ${userId}::int`,
    order: sort === 'newest' ? Prisma.sql`part DESC` : Prisma.sql`part`,
    photos: Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int AND ${from}`,
    partOf: ({ createdAt }: Position) => Prisma.sql`photo_hour(${createdAt}::timestamptz)`,
  }
}

function daysOf(userId: number, sort: Sort) {
  // The keys of a day begin with it; '~' is behind every digit.
  const from =
    sort === 'taken-newest'
      ? Prisma.sql`<= (SELECT CASE part WHEN '' THEN '' ELSE part || '~' END FROM start)`
      : Prisma.sql`>= (SELECT CASE part WHEN '' THEN '~' ELSE part END FROM start)`
  return {
    parts: Prisma.sql`SELECT day AS part, photos FROM photo_taken_days WHERE user_id = ${userId}::int`,
    order: sort === 'taken-newest' ? Prisma.sql`part DESC` : Prisma.sql`(part = ''), part`,
    photos: Prisma.sql`${galleryByTaken(userId)} AND ${sortKey(sort)} ${from}`,
    partOf: ({ key = '' }: Position) => Prisma.sql`${key === '~' ? '' : key.slice(0, 10)}`,
  }
}
