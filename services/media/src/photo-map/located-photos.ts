import type { Database } from '../database.ts'
import { narrowTo } from '../gallery/list-positions.ts'
import {
  countInRanges,
  type ListQuery,
  listCondition,
  NO_CONDITION,
  NO_FOLDER,
  photosInRanges,
  type Scope,
} from '../gallery/list-query.ts'
import { textCondition } from '../gallery/text-search.ts'
import { type KeyRange, MAP_BITS, type TileId, tileRange } from '../gallery/web-mercator.ts'
import { Prisma } from '../generated/client.ts'

/*
 * `photo_cells` holds the number of a user's photos in each cell of the map at some levels, and the sum of their places, for
 * the whole gallery and for each folder.
 */

/** The levels that are counted: the map has 2^level cells in each direction. */
export const CELL_LEVELS = [6, 11, 16, 21] as const
export const FINEST_LEVEL = 21
const WHOLE_GALLERY = 0
const WITHOUT_FOLDER = -1

/** Whose cells these are, as `photo_cells.scope` names it. */
export function cellScope({ folderId }: Scope): number {
  if (folderId === null) return WHOLE_GALLERY
  return folderId === NO_FOLDER ? WITHOUT_FOLDER : folderId
}

/** The coarsest counted level of which the cells of a level are made. */
export function countedLevel(level: number): number {
  return CELL_LEVELS.find((counted) => counted >= level) ?? FINEST_LEVEL
}

/** More photos than this are read from their cells, which takes as long. */
const FEW = 1000

/** Whether the photos of a whole scope in a part of the map are few enough to be read one by one. */
export async function hasFewPhotos(db: Database, { scope }: ListQuery, range: KeyRange): Promise<boolean> {
  return (await countInRanges(db, scope, [range], NO_CONDITION, FEW + 1)) <= FEW
}

/** A query for the photos of a whole scope in a part of the map: their id, x, y, location and state. */
export function photosOfScope({ scope }: ListQuery, range: KeyRange): Prisma.Sql {
  return Prisma.sql`SELECT id, map_x(longitude) AS x, map_y(latitude) AS y, location, state FROM ${photosInRanges(scope, [range])}`
}

/** A query for the photos of a filtered list in a tile: their id, x, y, location and state. */
export async function photosOfFilter(db: Database, query: ListQuery, tile: TileId): Promise<Prisma.Sql> {
  const narrowed = await narrowTo(db, query, [tileRange(tile)])
  const text = query.filter.q === null ? NO_CONDITION : Prisma.sql`AND ${textCondition(query)}`
  const between = (start: number) => {
    const size = 2 ** (MAP_BITS - tile.z)
    return Prisma.sql`BETWEEN ${start * size}::int AND ${(start + 1) * size - 1}::int`
  }
  return Prisma.sql`
    SELECT id, map_x(longitude) AS x, map_y(latitude) AS y, location, state FROM photos
    WHERE ${listCondition(narrowed, 'newest')} AND latitude IS NOT NULL
      AND map_x(longitude) ${between(tile.x)} AND map_y(latitude) ${between(tile.y)} ${text}`
}
