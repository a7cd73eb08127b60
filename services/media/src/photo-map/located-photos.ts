import type { Database } from '../database.ts'
import { findCandidates, photosInRanges } from '../gallery/candidates.ts'
import { type ListQuery, listCondition, NO_CONDITION } from '../gallery/list-query.ts'
import { textCondition } from '../gallery/text-search.ts'
import type { KeyRange } from '../gallery/web-mercator.ts'
import { Prisma } from '../generated/client.ts'

const PLACE = Prisma.sql`map_key(latitude, longitude) AS key, map_x(longitude) AS x, map_y(latitude) AS y`

/** A query for the photos of a whole scope in a part of the map, at most `most`: their id, key, x and y. */
export function photosOfScope({ scope }: ListQuery, range: KeyRange, most: number | null): Prisma.Sql {
  const photos = photosInRanges(scope, [range], Prisma.sql`id, latitude, longitude`)
  return Prisma.sql`SELECT id, ${PLACE} FROM ${photos} LIMIT ${most}::int`
}

/** A query for the photos of a filtered list in a part of the map: their id, key, x and y. */
export async function photosOfFilter(db: Database, query: ListQuery, range: KeyRange): Promise<Prisma.Sql> {
  const candidates = (await findCandidates(db, query, [range])) ?? query.candidates
  const text = query.filter.q === null ? NO_CONDITION : Prisma.sql`AND ${textCondition(query)}`
  return Prisma.sql`
    SELECT id, ${PLACE} FROM photos
    WHERE ${listCondition({ ...query, ...(candidates && { candidates }) }, 'newest')} ${text} AND latitude IS NOT NULL
      AND map_key(latitude, longitude) BETWEEN ${BigInt(range.low)}::bigint AND ${BigInt(range.high)}::bigint`
}
