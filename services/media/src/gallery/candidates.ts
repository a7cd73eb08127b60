import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { areaAround, boxesOf } from './area.ts'
import { type ListQuery, positionCondition, type Scope } from './list-query.ts'
import { coverBoxes, type KeyRange } from './web-mercator.ts'

/*
 * Photos in an area are found by the index of the map when they are few, wherever in the list they are. When they are many,
 * a scan of the list soon finds some, and its other conditions have an index. The planner never chooses between the two.
 */

/** From this many on, a list is scanned. */
const MAX_CANDIDATES = 5000

/** The query with its candidates, if its filter by position leaves few. */
export async function narrow(db: Database, query: ListQuery): Promise<ListQuery> {
  const { area, near } = query.filter
  const bounds = near ? areaAround(near) : area
  if (!bounds || query.candidates) return query
  const candidates = await findCandidates(db, query, coverBoxes(boxesOf(bounds)))
  return candidates ? { ...query, candidates } : query
}

/** The ids of the photos of a list in ranges of the map, by its scope and positions only; null when they are many. */
export async function findCandidates(db: Database, query: ListQuery, ranges: KeyRange[]): Promise<number[] | null> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM ${photosInRanges(query.scope, ranges, Prisma.sql`id, latitude, longitude`)}
    WHERE true ${positionCondition(query)} LIMIT ${MAX_CANDIDATES + 1}::int`
  return rows.length > MAX_CANDIDATES ? null : rows.map(({ id }) => id)
}

/** A table of the photos of a scope in ranges of the map, by an index alone if it has the columns. */
export function photosInRanges(scope: Scope, ranges: KeyRange[], columns: Prisma.Sql): Prisma.Sql {
  const [lows, highs] = [ranges.map(({ low }) => BigInt(low)), ranges.map(({ high }) => BigInt(high))]
  return Prisma.sql`
    unnest(${lows}::bigint[], ${highs}::bigint[]) AS part (low, high) CROSS JOIN LATERAL (
      SELECT ${columns} FROM photos WHERE ${onMap(scope)} AND map_key(latitude, longitude) BETWEEN low AND high) AS photo`
}

/** The photos of a scope that have a position, by an expression that only the indexes of the map have. */
export function onMap({ userId, folderId }: Scope): Prisma.Sql {
  const own = Prisma.sql`latitude IS NOT NULL
    AND CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END = ${userId}::int`
  return folderId === null ? own : Prisma.sql`${own} AND coalesce(folder_id, 0) = ${folderId}::int`
}
