import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import type { KeyRange } from './web-mercator.ts'

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
      SELECT id, latitude, longitude FROM photos
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
