import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { isWholeScope } from '../gallery/list-positions.ts'
import { type ListQuery, matchesNothing, onMap } from '../gallery/list-query.ts'
import { type KeyRange, MAP_BITS, type TileId, tileRange, worldX, worldY } from '../gallery/web-mercator.ts'
import { Prisma } from '../generated/client.ts'
import { uploadUrl } from '../photos/photo-response.ts'
import { cellScope, countedLevel, FINEST_LEVEL, hasFewPhotos, photosOfFilter, photosOfScope } from './located-photos.ts'

/** Places within a tile are from 0 to one less. */
export const TILE_EXTENT = 4096
export const MAX_ZOOM = 22
/** A tile has 2^3 cells in each direction, of each of which it shows one point. */
const CELL_ZOOM = 3

export const MapPoint = Type.Object({
  x: Type.Integer({ minimum: 0, maximum: TILE_EXTENT - 1, description: 'The mean place of the photos, from the west' }),
  y: Type.Integer({ minimum: 0, maximum: TILE_EXTENT - 1, description: 'From the north' }),
  count: Type.Integer({ minimum: 1, description: 'Photos around this place' }),
  place: Nullable(
    Type.String({
      description: "'City, state' if it is that of all whose place is known, or the state; null otherwise",
    }),
  ),
  photo: Type.Object(
    {
      id: Type.Integer(),
      title: Type.String(),
      place: Nullable(Type.String({ description: "'City, state', or the one that is known" })),
      thumbnailUrl: Nullable(Type.String({ description: '640 pixels wide' })),
      smallUrl: Nullable(
        Type.String({ description: '320 pixels wide; of a DNG that has only a smaller preview, that preview' }),
      ),
      thumbhash: Nullable(Type.String({ description: 'Base64' })),
      yaw: Nullable(Type.Number({ description: 'Degrees clockwise from true north: where the camera looks' })),
    },
    { description: 'One of them' },
  ),
})
export type MapPoint = Type.Static<typeof MapPoint>

interface PointRow {
  count: number
  /** Mean place, in units of the whole map. */
  x: number
  y: number
  place: string | null
  id: number
  title: string
  location: string | null
  thumbnail: string | null
  small: string | null
  thumbhash: string | null
  latitude: number
  longitude: number
  yaw: number | null
}

/** Reads the points of a tile: in each of its 8 × 8 cells the mean place, the number and one of the photos of a list. */
export async function readTile(db: Database, query: ListQuery, tile: TileId): Promise<MapPoint[]> {
  if (matchesNothing(query) || query.filter.isUnplaced) return []
  return (await readRows(db, query, tile)).flatMap((row) => toPoint(row, tile))
}

async function readRows(db: Database, query: ListQuery, tile: TileId): Promise<PointRow[]> {
  // The cells of the finest level are as large as tiles of this zoom, and belong to one finer tile as a whole.
  const up = Math.max(0, tile.z - FINEST_LEVEL)
  const parent = { z: tile.z - up, x: tile.x >> up, y: tile.y >> up }
  const range = tileRange(parent)
  const level = Math.min(MAP_BITS, tile.z + CELL_ZOOM)
  if (!isWholeScope(query)) return readPoints(db, groupPhotos(await photosOfFilter(db, query, parent), level))
  if (await hasFewPhotos(db, query, range)) return readPoints(db, groupPhotos(photosOfScope(query, range), level))
  return readPoints(db, sumCells(query, range, Math.min(level, FINEST_LEVEL)))
}

/** Groups photos by the cells of a level. */
function groupPhotos(photos: Prisma.Sql, level: number): Prisma.Sql {
  const bits = Prisma.sql`${MAP_BITS - level}::int`
  return Prisma.sql`
    SELECT count(*) AS photos, sum(x) AS sum_x, sum(y) AS sum_y, min(id) AS id,
      min(location COLLATE "C") AS one_location, max(location COLLATE "C") AS other_location,
      min(state COLLATE "C") AS one_state, max(state COLLATE "C") AS other_state
    FROM (${photos}) AS located GROUP BY x >> ${bits}, y >> ${bits}`
}

/**
 * Sums counted cells to those of a level; the photo of each is the first one by the index of the map. Whether they share a place is
 * told by the first and the last one, which are in opposite corners: reading all would take as long as there are photos.
 */
function sumCells({ scope }: ListQuery, range: KeyRange, level: number): Prisma.Sql {
  const counted = countedLevel(level)
  const bits = 2 * (MAP_BITS - counted)
  const shownBits = 2 * (MAP_BITS - level)
  const endOfCell = (order: 'ASC' | 'DESC') => Prisma.sql`
    SELECT id, location, state FROM photos WHERE ${onMap(scope)}
      AND map_key(latitude, longitude) BETWEEN shown << ${shownBits}::int AND ((shown + 1) << ${shownBits}::int) - 1
    ORDER BY map_key(latitude, longitude) ${Prisma.raw(order)}, id ${Prisma.raw(order)} LIMIT 1`
  return Prisma.sql`
    SELECT photos, sum_x, sum_y, first.id, first.location AS one_location, last.location AS other_location,
      first.state AS one_state, last.state AS other_state FROM (
      SELECT cell >> ${shownBits - bits}::int AS shown, sum(photos) AS photos, sum(sum_x) AS sum_x, sum(sum_y) AS sum_y
      FROM photo_cells WHERE user_id = ${scope.userId}::int AND scope = ${cellScope(scope)}::int AND level = ${counted}::int
        AND cell BETWEEN ${BigInt(range.low)}::bigint >> ${bits}::int AND ${BigInt(range.high)}::bigint >> ${bits}::int
      GROUP BY 1) AS cells
    CROSS JOIN LATERAL (${endOfCell('ASC')}) AS first CROSS JOIN LATERAL (${endOfCell('DESC')}) AS last`
}

/** Reads groups with their photos. */
function readPoints(db: Database, groups: Prisma.Sql): Promise<PointRow[]> {
  return db.$queryRaw`
    SELECT groups.photos::int AS count, sum_x::float8 / groups.photos + 0.5 AS x, sum_y::float8 / groups.photos + 0.5 AS y,
      CASE WHEN one_location = other_location THEN one_location
        WHEN one_state = other_state THEN nullif(one_state, '') END AS place,
      id, title, location, thumbnail, coalesce(small, CASE WHEN thumbnail IS NULL THEN preview END) AS small, thumbhash, latitude::float8, longitude::float8,
      (metadata ->> 'heading')::float8 AS yaw
    FROM (${groups}) AS groups JOIN photos USING (id) ORDER BY count, id`
}

/** The point of a row; none when the mean place is in another tile. */
function toPoint(row: PointRow, { z, x, y }: TileId): MapPoint[] {
  const { id, title, location, thumbnail, small, thumbhash, yaw, count, place: shared } = row
  const size = 2 ** (MAP_BITS - z)
  if (Math.floor(row.x / size) !== x || Math.floor(row.y / size) !== y) return []
  const isOne = count === 1
  const place = {
    x: within(isOne ? worldX(row.longitude) : row.x, x * size, size),
    y: within(isOne ? worldY(row.latitude) : row.y, y * size, size),
  }
  const urls = { thumbnailUrl: thumbnail && uploadUrl(thumbnail), smallUrl: small && uploadUrl(small) }
  return [{ ...place, count, place: shared, photo: { id, title, place: location, ...urls, thumbhash, yaw } }]
}

function within(position: number, start: number, size: number): number {
  return Math.min(TILE_EXTENT - 1, Math.max(0, Math.floor(((position - start) / size) * TILE_EXTENT)))
}
