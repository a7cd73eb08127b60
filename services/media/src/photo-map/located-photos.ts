import type { Database } from '../database.ts'
import { narrowTo } from '../gallery/candidates.ts'
import { type ListQuery, listCondition, NO_CONDITION } from '../gallery/list-query.ts'
import { countInRanges, photosInRanges } from '../gallery/map-index.ts'
import { textCondition } from '../gallery/text-search.ts'
import { type KeyRange, MAP_BITS, type TileId, tileRange } from '../gallery/web-mercator.ts'
import { Prisma } from '../generated/client.ts'

/** More photos than this are read from their cells, which takes as long. */
const FEW = 1000

/** Whether the photos of a whole scope in a part of the map are few enough to be read one by one. */
export async function hasFewPhotos(db: Database, { scope }: ListQuery, range: KeyRange): Promise<boolean> {
  return (await countInRanges(db, scope, [range], NO_CONDITION, FEW + 1)) <= FEW
}

/** A query for the photos of a whole scope in a part of the map: their id, x and y. */
export function photosOfScope({ scope }: ListQuery, range: KeyRange): Prisma.Sql {
  return Prisma.sql`SELECT id, map_x(longitude) AS x, map_y(latitude) AS y FROM ${photosInRanges(scope, [range])}`
}

/** A query for the photos of a filtered list in a tile: their id, x and y. */
export async function photosOfFilter(db: Database, query: ListQuery, tile: TileId): Promise<Prisma.Sql> {
  const narrowed = await narrowTo(db, query, [tileRange(tile)])
  const text = query.filter.q === null ? NO_CONDITION : Prisma.sql`AND ${textCondition(query)}`
  const between = (start: number) => {
    const size = 2 ** (MAP_BITS - tile.z)
    return Prisma.sql`BETWEEN ${start * size}::int AND ${(start + 1) * size - 1}::int`
  }
  return Prisma.sql`
    SELECT id, map_x(longitude) AS x, map_y(latitude) AS y FROM photos
    WHERE ${listCondition(narrowed, 'newest')} AND latitude IS NOT NULL
      AND map_x(longitude) ${between(tile.x)} AND map_y(latitude) ${between(tile.y)} ${text}`
}
