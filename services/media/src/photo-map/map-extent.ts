import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { countListed, isWholeScope } from '../gallery/list-positions.ts'
import { type ListQuery, listCondition, matchesNothing, NO_CONDITION, UNPLACED } from '../gallery/list-query.ts'
import { textCondition } from '../gallery/text-search.ts'
import { latitudeOf, longitudeOf, MAP_BITS, tileRange } from '../gallery/web-mercator.ts'
import { Prisma } from '../generated/client.ts'
import { CELL_LEVELS, cellScope, hasFewPhotos, photosOfFilter, photosOfScope } from './located-photos.ts'

const Edge = Nullable(Type.Number({ description: 'Decimal degrees; null: no photo has a position' }))
export const MapExtent = Type.Object({
  west: Edge,
  south: Edge,
  east: Nullable(Type.Number({ description: 'Decimal degrees, more than 180 across the date line' })),
  north: Edge,
  count: Type.Integer({ description: 'Photos with a position' }),
  without: Type.Integer({ description: 'Photos without one, except those that are processing' }),
})
export type MapExtent = Type.Static<typeof MapExtent>

/** As many cells on the longer side are exact enough: the edges are at most two of them off. */
const ENOUGH_CELLS = 64
/** The map is cut into columns to find its widest part without photos. */
const COLUMN_BITS = 6
const WORLD = { z: 0, x: 0, y: 0 }

/** What a column of the map has: the edges of its photos, in units of the whole map. */
interface Column {
  west: number
  east: number
  north: number
  south: number
  photos: number
}

/** Finds the part of the map that shows all photos of a list, exactly, or around the cells of a large gallery or folder. */
export async function readExtent(db: Database, query: ListQuery): Promise<MapExtent> {
  const columns = matchesNothing(query) || query.filter.isUnplaced ? [] : await readColumns(db, query)
  const count = countPhotos(columns)
  const without = await countWithout(db, query, count)
  if (count === 0) return { west: null, south: null, east: null, north: null, count, without }
  const [west, east] = findWestAndEast(columns)
  const north = latitudeOf(Math.min(...columns.map((column) => column.north)))
  const south = latitudeOf(Math.max(...columns.map((column) => column.south)))
  return { west: longitudeOf(west), south, east: longitudeOf(east), north, count, without }
}

function countPhotos(columns: Column[]): number {
  return columns.reduce((sum, { photos }) => sum + photos, 0)
}

async function readColumns(db: Database, query: ListQuery): Promise<Column[]> {
  if (!isWholeScope(query)) return groupPhotos(db, await photosOfFilter(db, query, WORLD))
  const range = tileRange(WORLD)
  if (await hasFewPhotos(db, query, range)) return groupPhotos(db, photosOfScope(query, range))
  return readCells(db, query)
}

/** Reads the coarsest counted cells that are exact enough. */
async function readCells(db: Database, { scope }: ListQuery): Promise<Column[]> {
  let columns: Column[] = []
  for (const level of CELL_LEVELS) {
    const size = 2 ** (MAP_BITS - level)
    const cells = Prisma.sql`
      SELECT sum_x / photos AS x, sum_y / photos AS y, photos FROM photo_cells
      WHERE user_id = ${scope.userId}::int AND scope = ${cellScope(scope)}::int AND level = ${level}::int`
    columns = await groupByColumns(db, cells, size)
    if (longerSide(columns) >= ENOUGH_CELLS * size) break
  }
  return columns
}

function groupPhotos(db: Database, photos: Prisma.Sql): Promise<Column[]> {
  return groupByColumns(db, Prisma.sql`SELECT x::bigint, y::bigint, 1 AS photos FROM (${photos}) AS located`, 1)
}

/** Groups places by the columns of the map. Edges are around the cells of this size in which they are. */
function groupByColumns(db: Database, places: Prisma.Sql, size: number): Promise<Column[]> {
  const cell = Prisma.sql`${size}::bigint`
  return db.$queryRaw`
    SELECT (min(x / ${cell}) * ${cell})::float8 AS west, ((max(x / ${cell}) + 1) * ${cell})::float8 AS east,
      (min(y / ${cell}) * ${cell})::float8 AS north, ((max(y / ${cell}) + 1) * ${cell})::float8 AS south, sum(photos)::int AS photos
    FROM (${places}) AS places GROUP BY x >> ${MAP_BITS - COLUMN_BITS}::int ORDER BY west`
}

function longerSide(columns: Column[]): number {
  const [west, east] = findWestAndEast(columns)
  const height = Math.max(...columns.map(({ south }) => south)) - Math.min(...columns.map(({ north }) => north))
  return Math.max(east - west, height)
}

/** The shortest way around the world that touches all columns. Beyond the date line it ends behind the end of the map. */
function findWestAndEast(columns: Column[]): [west: number, east: number] {
  const [west, east] = [columns[0]?.west ?? 0, columns.at(-1)?.east ?? 0]
  const world = 2 ** MAP_BITS
  let best: [number, number] = [west, east]
  for (const [index, next] of columns.entries()) {
    const before = columns[index - 1]
    if (before && before.east + world - next.west < best[1] - best[0]) best = [next.west, before.east + world]
  }
  return best
}

/** Counts the photos of a list that have no position, except those that are processing. */
async function countWithout(db: Database, query: ListQuery, located: number): Promise<number> {
  const { area, near } = query.filter
  if (matchesNothing(query) || area || near) return 0
  if (isWholeScope(query)) {
    const [all, processing] = await Promise.all([countListed(db, query), countProcessing(db, query)])
    return Math.max(0, all - located - processing)
  }
  const text = query.filter.q === null ? NO_CONDITION : Prisma.sql`AND ${textCondition(query)}`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM photos WHERE ${listCondition(query, 'newest')} ${text} AND ${UNPLACED}`
  return row.count
}

/** Counts the photos of a scope that are processing and have no position yet. */
async function countProcessing(db: Database, { scope: { userId, folderId } }: ListQuery): Promise<number> {
  const inFolder = folderId === null ? NO_CONDITION : Prisma.sql`AND coalesce(folder_id, 0) = ${folderId}::int`
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM photos
    WHERE user_id = ${userId}::int AND status = 'processing' AND purpose = 'gallery' AND latitude IS NULL ${inFolder}`
  return row.count
}
