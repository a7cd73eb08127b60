import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { matchesNothing } from './filter.ts'
import {
  afterCondition,
  type ListQuery,
  type ListSlice,
  listCondition,
  MAX_COUNT,
  NO_CONDITION,
  orderBy,
  type Position,
  type PositionsResult,
  type Sort,
} from './list-query.ts'
import { findByHours, startPhotoHours } from './photo-hours.ts'
import { countMatches, searchPositions } from './text-search.ts'

/** From this many on, skipping one by one is slower than finding the place first. */
const FAR_SKIP = 1000

/** Finds the positions of a slice of a list, in order. */
export async function findPositions(db: Database, query: ListQuery, slice: ListSlice): Promise<PositionsResult> {
  if (matchesNothing(query.filter)) return { positions: [], total: 0 }
  if (query.filter.q !== null) return searchPositions(db, query, slice)
  const isFar = hasKnownLength(query) && !slice.after && (slice.skip ?? 0) > FAR_SKIP
  return { positions: await (isFar ? readFarSlice(db, query, slice) : readSlice(db, query, slice)), total: null }
}

/** Finds all positions of a list in batches of `size`. Photos that come to the end meanwhile are found too. */
export async function* findAllPositions(
  db: Database,
  query: ListQuery,
  sort: Sort,
  size: number,
): AsyncGenerator<Position[]> {
  let after: Position | null = null
  for (;;) {
    const { positions }: PositionsResult = await findPositions(db, query, { sort, after, take: size })
    if (positions.length > 0) yield positions
    if (positions.length < size) return
    after = positions.at(-1) ?? null
  }
}

/**
 * Counts the photos of a whole list: exactly for a whole gallery, one location of it, and a whole folder; otherwise
 * exactly up to `countTo`, and one more than that means that there are more. The result for a slice of the same list
 * saves work.
 */
export async function countListed(
  db: Database,
  query: ListQuery,
  countTo = MAX_COUNT,
  { total = null, isRare = false }: Partial<PositionsResult> = {},
): Promise<number> {
  const { q, location, since } = query.filter
  if (matchesNothing(query.filter)) return 0
  if (total !== null && Math.min(total, countTo) <= MAX_COUNT) return Math.min(total, countTo + 1)
  if (q !== null) return countMatches(db, query, countTo, isRare)
  if (hasKnownLength(query)) return countFromPlaces(db, query)
  return countRows(db, query, since === null && location === null ? null : countTo + 1)
}

/** Whether `photo_places` holds the length of the list. */
function hasKnownLength({ scope, filter }: ListQuery): boolean {
  return filter.q === null && filter.since === null && scope.folderId === null
}

async function readSlice(db: Database, query: ListQuery, slice: ListSlice): Promise<Position[]> {
  const { sort, skip = 0, take } = slice
  const rows = await db.$queryRaw<{ id: number; created_at: Date }[]>`
    SELECT id, created_at FROM photos WHERE ${listCondition(query)} ${afterCondition(slice)}
    ORDER BY ${orderBy(sort)} OFFSET ${skip}::int LIMIT ${take}::int`
  return rows.map(({ id, created_at }) => ({ id, createdAt: created_at }))
}

/** Skips many photos of a list of known length: by the counts of hours, without them from the nearer end. */
async function readFarSlice(db: Database, query: ListQuery, slice: ListSlice): Promise<Position[]> {
  const { sort, skip = 0, take } = slice
  const { scope, filter } = query
  const found = filter.location === null ? await findByHours(db, scope.userId, slice) : []
  if (found.length > 0) return found
  const total = await countFromPlaces(db, query)
  if (skip >= total) return []
  if (filter.location === null) await startPhotoHours(db, scope.userId)
  if (skip < total / 2) return readSlice(db, query, slice)
  const behind = Math.max(0, total - skip - take)
  const reversed = { sort: sort === 'newest' ? 'oldest' : 'newest', skip: behind } as const
  return (await readSlice(db, query, { ...reversed, take: total - skip - behind })).reverse()
}

async function countFromPlaces(db: Database, { scope, filter: { location } }: ListQuery): Promise<number> {
  const atLocation = location === null ? NO_CONDITION : Prisma.sql`AND location = ${location}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT coalesce(sum(count), 0)::int AS count FROM photo_places WHERE user_id = ${scope.userId}::int ${atLocation}`
  return row.count
}

async function countRows(db: Database, query: ListQuery, limit: number | null): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM photos WHERE ${listCondition(query)} LIMIT ${limit}::int) AS counted`
  return row.count
}
