import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { type Area, inArea, isNear, type Near } from './area.ts'
import type { KeyRange } from './web-mercator.ts'

/** Stands for no folder, also in `photo_sums` and `photos_like`. */
export const NO_FOLDER = 0

/** Stands for a folder that is not the user's. */
export const UNKNOWN_FOLDER = -1

/** Stands for a flight that is not the user's. */
export const UNKNOWN_FLIGHT = -1

export interface Filter {
  /** Null matches every text. */
  q: string | null
  location: string | null
  /** The model. */
  camera: string | null
  /** The earliest `createdAt`. */
  since: Date | null
  /** The first and the last day by the camera's clock, like `2026-11-28`. */
  taken: { from: string | null; to: string | null } | null
  /** `UNKNOWN_FLIGHT`: none of the user's. */
  flight: number | null
  area: Area | null
  near: Near | null
  /** Only photos without a position, except those that are processing. */
  isUnplaced: boolean
}

/** The photos of a list. */
export interface ListQuery {
  scope: Scope
  filter: Filter
  /** Ranges of the map with all photos of the list, when these are few: see `narrow`. */
  candidates?: KeyRange[]
}

/**
 * By upload; by the camera's clock: then photos without a date are last; or in its owner's order of a folder, which no other
 * list has: then photos without a position are last, oldest first.
 */
export const SORTS = ['newest', 'oldest', 'taken-newest', 'taken-oldest', 'own'] as const
export type Sort = (typeof SORTS)[number]

/** The position of a photo in a list. */
export interface Position {
  createdAt: Date
  id: number
  /** The sort key of a list by date taken or in its owner's order; other lists have none. */
  key?: string
}

/** The columns of a position, as `toPosition` reads them. */
export interface PositionRow {
  id: number
  created_at: Date
  sort_key: string | number | null
}

/** A part of a list. */
export interface ListSlice {
  sort: Sort
  /** Only photos after this position. */
  after?: Position | null
  /** Photos to skip before the first one. */
  skip?: number
  take: number
}

export interface PositionsResult {
  positions: Position[]
  /** The number of photos in the whole list, counted up to `MAX_COUNT_TO + 1`; null when it was not determined. */
  total: number | null
  /** Fewer than one scanned photo in `RARE_RATIO` matched, so that a scan is no way to count them. */
  isRare?: boolean
}

/** Where counting ends by default if no table holds the count. */
export const MAX_COUNT = 1000

/** Where counting ends at the latest. Up to here the matches of a search take about 15 ms. */
export const MAX_COUNT_TO = 10_000

export const NO_CONDITION = Prisma.empty

/** Whether no photo can match. */
export function matchesNothing({ scope, filter }: ListQuery): boolean {
  const { q, location, camera, flight, area, near, isUnplaced } = filter
  if (scope.folderId === UNKNOWN_FOLDER || flight === UNKNOWN_FLIGHT) return true
  if (isUnplaced && (area !== null || near !== null)) return true
  // PostgreSQL cannot represent the character.
  return `${q}${location}${camera}`.includes('\0')
}

/** The sort keys of lists by date taken, as their indexes have them. */
export const TAKEN_NEWEST = Prisma.sql`(coalesce(left(date_taken, 19), '') COLLATE "C")`
const TAKEN_OLDEST = Prisma.sql`(coalesce(left(date_taken, 19), '~') COLLATE "C")`
const OWN = Prisma.sql`coalesce(own_position, 'Infinity')`

export function isByTaken(sort: Sort): boolean {
  return sort === 'taken-newest' || sort === 'taken-oldest'
}

/** The sort key of a list by date taken or in its owner's order, as its index has it; null for other lists. */
export function sortKey(sort: Sort): Prisma.Sql | null {
  if (sort === 'own') return OWN
  if (!isByTaken(sort)) return null
  return sort === 'taken-newest' ? TAKEN_NEWEST : TAKEN_OLDEST
}

/** What sorts behind every digit. */
const BEHIND_DIGITS = '~'

/** The first and the last sort key of photos in a range of days. Photos without a date are in none. */
export function takenRange({ from, to }: NonNullable<Filter['taken']>): { low: string; high: string } {
  return { low: from ?? '0', high: `${to ?? '9'}${BEHIND_DIGITS}` }
}

/** A further condition: only photos taken in the filter's range of days. */
function byTaken({ taken }: Filter, key = TAKEN_NEWEST): Prisma.Sql {
  if (taken === null) return NO_CONDITION
  const { low, high } = takenRange(taken)
  return Prisma.sql`AND ${key} BETWEEN ${low}::text AND ${high}::text`
}

/** The user's gallery, by an expression that only the indexes of dates have. */
export function galleryByTaken(userId: number): Prisma.Sql {
  return Prisma.sql`CASE WHEN purpose = 'gallery' THEN user_id + 0 END = ${userId}::int`
}

/** The condition of photos without a position. One that is processing may yet get that of its file. */
export const UNPLACED = Prisma.sql`latitude IS NULL AND status <> 'processing'`

/** Whether the filter is about positions. */
export function isByPosition({ filter: { area, near, isUnplaced } }: ListQuery): boolean {
  return area !== null || near !== null || isUnplaced
}

/** Further conditions of a list: only photos in its area and circle, or without a position. */
export function positionCondition({ filter: { area, near, isUnplaced } }: ListQuery): Prisma.Sql {
  const within = area === null ? NO_CONDITION : Prisma.sql`AND ${inArea(area)}`
  const around = near === null ? NO_CONDITION : Prisma.sql`AND ${isNear(near)}`
  return Prisma.sql`${within} ${around} ${isUnplaced ? Prisma.sql`AND ${UNPLACED}` : NO_CONDITION}`
}

/**
 * The conditions of a list except its text: exactly one index has them in the order of the list, but for a part of a
 * gallery by date taken and for candidates or a flight, which are sorted.
 */
export function listCondition(query: ListQuery, sort: Sort): Prisma.Sql {
  const positions = positionCondition(query)
  const { candidates, filter } = query
  if (filter.flight !== null) {
    // The planner expects few elements of an array: it reads these photos by their ids.
    const inFlight = Prisma.sql`id = ANY (ARRAY(SELECT photo_id FROM flight_photos WHERE flight_id = ${filter.flight}::int))`
    return Prisma.sql`${inFlight} AND ${indexedCondition(query, 'newest')} ${positions}`
  }
  if (candidates) return Prisma.sql`${candidateCondition(query, candidates)} ${positions}`
  return Prisma.sql`${indexedCondition(query, sort)} ${positions}`
}

/** The conditions of a list with few candidates, such that no index but those of the map and of ids has them. */
function candidateCondition(query: ListQuery, candidates: KeyRange[]): Prisma.Sql {
  const { userId, folderId } = query.scope
  const { since, camera, location } = query.filter
  const taken = byTaken(query.filter)
  const there = location === null ? NO_CONDITION : Prisma.sql`AND (location = ${location}) IS TRUE`
  const inFolder = folderId === null ? NO_CONDITION : Prisma.sql`AND coalesce(folder_id, 0) = ${folderId}::int`
  const from = since === null ? NO_CONDITION : Prisma.sql`AND created_at >= ${since}::timestamptz`
  const ids = Prisma.sql`SELECT id FROM ${photosInRanges(query.scope, candidates)} WHERE true ${positionCondition(query)}`
  return Prisma.sql`id = ANY (ARRAY(${ids})) AND (purpose, user_id) IS NOT DISTINCT FROM ('gallery', ${userId}::int)
    ${there} ${byCamera(camera)} ${inFolder} ${from} ${taken}`
}

function indexedCondition({ scope: { userId, folderId }, filter }: ListQuery, sort: Sort): Prisma.Sql {
  const { since, camera, location } = filter
  const uploaded = since === null ? NO_CONDITION : Prisma.sql`AND created_at >= ${since}::timestamptz`
  const from = Prisma.sql`${uploaded} ${byTaken(filter)}`
  if (location !== null || camera !== null) {
    const inFolder = folderId === null ? NO_CONDITION : Prisma.sql`AND coalesce(folder_id, 0) = ${folderId}::int`
    const own = Prisma.sql`CASE WHEN purpose = 'gallery' THEN user_id END = ${userId}::int`
    // Users have more photos of a camera than at a place: the index of places is better where both have one.
    const indexed =
      location === null ? Prisma.sql`camera = ${camera}` : Prisma.sql`location = ${location} ${byCamera(camera)}`
    return Prisma.sql`${own} AND ${indexed} ${inFolder} ${from}`
  }
  if (filter.isUnplaced) {
    const inFolder = folderId === null ? NO_CONDITION : Prisma.sql`AND coalesce(folder_id, 0) = ${folderId}::int`
    return Prisma.sql`CASE WHEN purpose = 'gallery' AND latitude IS NULL THEN user_id END = ${userId}::int ${inFolder} ${from}`
  }
  if (folderId === null) {
    // A date filter has an index of its own: what it leaves is sorted.
    if (isByTaken(sort) && since === null) {
      return Prisma.sql`${galleryByTaken(userId)} ${byTaken(filter, sortKey(sort) ?? undefined)}`
    }
    if (filter.taken !== null) return Prisma.sql`${galleryByTaken(userId)} ${from}`
    return Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int ${from}`
  }
  if (folderId === NO_FOLDER) {
    return Prisma.sql`purpose = 'gallery' AND user_id = ${userId}::int AND folder_id IS NULL ${from}`
  }
  return Prisma.sql`purpose = 'gallery' AND folder_id = ${folderId}::int ${from}`
}

/** A further condition: only photos of this camera. No index has it. */
function byCamera(camera: string | null): Prisma.Sql {
  return camera === null ? NO_CONDITION : Prisma.sql`AND (camera = ${camera}) IS TRUE`
}

/** The columns of a position, of `photos` or of a table with its `date_taken` and `own_position`. */
export function positionColumns(sort: Sort): Prisma.Sql {
  return Prisma.sql`id, created_at, ${sortKey(sort) ?? Prisma.sql`NULL::text`} AS sort_key`
}

export function toPosition({ id, created_at, sort_key }: PositionRow): Position {
  return { id, createdAt: created_at, ...(sort_key !== null && { key: String(sort_key) }) }
}

/** The order of rows with the columns of `positionColumns`. */
export function orderBy(sort: Sort): Prisma.Sql {
  switch (sort) {
    case 'newest':
      return Prisma.sql`created_at DESC, id DESC`
    case 'oldest':
      return Prisma.sql`created_at, id`
    case 'taken-newest':
      return Prisma.sql`sort_key DESC, id DESC`
    case 'taken-oldest':
      return Prisma.sql`sort_key, id`
    case 'own':
      return Prisma.sql`sort_key, created_at, id`
  }
}

/** A further condition: only photos after this position. */
export function afterCondition({ after, sort }: Pick<ListSlice, 'after' | 'sort'>): Prisma.Sql {
  return after ? besideCondition(after, sort, '>') : NO_CONDITION
}

/** A further condition: only photos before this position. */
export function beforeCondition(before: Position, sort: Sort): Prisma.Sql {
  return besideCondition(before, sort, '<')
}

function besideCondition(beside: Position, sort: Sort, side: '<' | '>'): Prisma.Sql {
  const { photo, position } = comparedColumns(beside, sort)
  const isDescending = sort === 'newest' || sort === 'taken-newest'
  return isDescending === (side === '>')
    ? Prisma.sql`AND ${photo} < ${position}`
    : Prisma.sql`AND ${photo} > ${position}`
}

/** What the order of a list compares: of a photo, and of a position. */
function comparedColumns({ createdAt, id, key }: Position, sort: Sort): { photo: Prisma.Sql; position: Prisma.Sql } {
  const uploaded = Prisma.sql`${createdAt}::timestamptz, ${id}::int`
  if (sort === 'own') {
    return {
      photo: Prisma.sql`(${OWN}, created_at, id)`,
      position: Prisma.sql`(${key}::text::double precision, ${uploaded})`,
    }
  }
  if (!isByTaken(sort)) return { photo: Prisma.sql`(created_at, id)`, position: Prisma.sql`(${uploaded})` }
  return { photo: Prisma.sql`(${sortKey(sort)}, id)`, position: Prisma.sql`(${key}::text, ${id}::int)` }
}

/** The gallery of a user, one folder of the user's, or the photos without a folder. */
export interface Scope {
  userId: number
  /** `NO_FOLDER`: photos in no folder. */
  folderId: number | null
}

/** The photos of a scope that have a position, by an expression that only the indexes of the map have. */
export function onMap({ userId, folderId }: Scope): Prisma.Sql {
  const own = Prisma.sql`latitude IS NOT NULL
    AND CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END = ${userId}::int`
  return folderId === null ? own : Prisma.sql`${own} AND coalesce(folder_id, 0) = ${folderId}::int`
}

/** A table of the photos of a scope in ranges of the map, with id, latitude and longitude: an index alone has them. */
export function photosInRanges(scope: Scope, ranges: KeyRange[]): Prisma.Sql {
  const [lows, highs] = [ranges.map(({ low }) => BigInt(low)), ranges.map(({ high }) => BigInt(high))]
  return Prisma.sql`
    unnest(${lows}::bigint[], ${highs}::bigint[]) AS part (low, high) CROSS JOIN LATERAL (
      SELECT id, latitude, longitude, location, state FROM photos
      WHERE ${onMap(scope)} AND map_key(latitude, longitude) BETWEEN low AND high) AS photo`
}

/** Counts the photos of a scope in ranges of the map that fulfil a further condition, up to `most`. */
export async function countInRanges(
  db: Database,
  scope: Scope,
  ranges: KeyRange[],
  condition: Prisma.Sql,
  most: number,
): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM ${photosInRanges(scope, ranges)} WHERE true ${condition} LIMIT ${most}::int) AS counted`
  return row.count
}
