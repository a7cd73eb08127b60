import type { MapPhoto, MapPoint } from '../api/photo-map.ts'
import { countOf, formatPlace } from '../lib/format.ts'
import { type Area, type Position, positionOf, project, unproject, wrap } from '../lib/geography.ts'

/** The side of a tile in the units of its points. */
export const TILE_UNITS = 4096
/** A tile has so many cells on each side, each of which shows at most one point. */
const CELLS = 8
const LAST = 1 - 2 ** -40

export interface Tile {
  z: number
  /** May be outside of the world, where it is repeated to the east and the west. */
  x: number
  y: number
}

export type PointPhoto = Omit<MapPhoto, 'yaw'> & {
  /** Degrees clockwise from north; null: the photo has none; absent: it is not known whether it has one. */
  yaw?: number | null
}

/** A photo, or several at about the same place, on a tile: x and y from 0 to 4095. */
export type TilePoint = Omit<MapPoint, 'photo'> & { photo: PointPhoto }

/** A point of the map at its position. */
export interface PlacedPoint {
  /** Equal for equal points. */
  key: string
  /** The longitude is beyond ±180 where the world is repeated. */
  position: Position
  /** Decimals of the position's degrees that the tile tells. */
  decimals: number
  count: number
  /** 'City, state' of all its photos, or their state; null where they have neither in common. */
  place: string | null
  photo: PointPhoto
  /** The part of the map whose photos it stands for. */
  cell: Area
}

/** Where the map's points come from. */
export interface PointSource {
  /** The points of a tile of the world. */
  tile(z: number, x: number, y: number): Promise<readonly TilePoint[]>
  /** The smallest area with the photos of a cell; null when there are none. */
  extentOf(cell: Area): Promise<Area | null>
}

export function placePoint({ z, x, y }: Tile, point: TilePoint): PlacedPoint {
  const at = (column: number, row: number) => unproject({ x: (x + column) / 2 ** z, y: (y + row) / 2 ** z })
  const position = at((point.x + 0.5) / TILE_UNITS, (point.y + 0.5) / TILE_UNITS)
  const column = Math.floor((point.x / TILE_UNITS) * CELLS) / CELLS
  const row = Math.floor((point.y / TILE_UNITS) * CELLS) / CELLS
  const [first, last] = [at(column, row), at(column + 1 / CELLS, row + 1 / CELLS)]
  const key = [point.photo.id, point.count, position.latitude.toFixed(6), position.longitude.toFixed(6)].join()
  return {
    key,
    position,
    decimals: Math.max(0, Math.floor(Math.log10((2 ** z * TILE_UNITS) / 360))),
    count: point.count,
    place: point.place,
    photo: point.photo,
    cell: areaBetween(first.longitude, last.latitude, last.longitude, first.latitude),
  }
}

/** 'DJI_0018', '12 photos'. */
export function nameOf({ count, photo }: Pick<PlacedPoint, 'count' | 'photo'>): string {
  return count === 1 ? photo.title || 'Untitled photo' : countOf(count, 'photo')
}

/** 'Duluth, Minnesota', 'Minnesota', 'Duluth, Minnesota, and other places'; null where none is known. */
export function placeOf({ place, photo }: Pick<PlacedPoint, 'place' | 'photo'>): string | null {
  return place ?? (photo.place && `${photo.place}, and other places`)
}

/** An area from edges that may be beyond ±180; equal on each copy of a repeated world. */
export function areaBetween(west: number, south: number, east: number, north: number): Area {
  if (east - west >= 360) return { west: -180, south, east: 180, north }
  const [left, right] = [wrap(west), wrap(east)]
  return { west: left === 180 ? -180 : left, south, east: right === -180 ? 180 : right, north }
}

/** A photo with a position, as public lists have it. */
type LocatedPhoto = Omit<MapPhoto, 'yaw' | 'place'> & { previewUrl: string | null } & Parameters<typeof positionOf>[0] &
  Parameters<typeof formatPlace>[0]

/** The points of photos that the browser has already: clustered as the server does it. */
export function pointsOfPhotos(photos: readonly LocatedPhoto[]): PointSource & { extent: Area | null; count: number } {
  const placed = photos.flatMap((photo) => {
    const position = positionOf(photo)
    if (!position) return []
    const { x, y } = project(position)
    // The last tile has the edge of the world.
    // A DNG may have only a small preview, which is enough for a marker.
    const smallUrl = photo.smallUrl ?? (photo.thumbnailUrl === null ? photo.previewUrl : null)
    const shown = { ...photo, smallUrl, place: formatPlace(photo) }
    return [{ photo: shown, position, x: Math.min(x, LAST), y: Math.min(y, LAST) }]
  })

  function inside(west: number, north: number, east: number, south: number) {
    return placed.filter(({ x, y }) => x >= west && x < east && y >= north && y < south)
  }

  return {
    count: placed.length,
    extent: extentOf(placed.map(({ position }) => position)),
    async tile(z, x, y) {
      const side = 2 ** -z
      const cells = new Map<number, typeof placed>()
      for (const one of inside(x * side, y * side, (x + 1) * side, (y + 1) * side)) {
        const [column, row] = [one.x, one.y].map((at, axis) => Math.floor((at / side - (axis ? y : x)) * CELLS))
        const cell = (row as number) * CELLS + (column as number)
        const members = cells.get(cell)
        if (members) members.push(one)
        else cells.set(cell, [one])
      }
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
      const units = (part: number) => Math.min(Math.floor(part * TILE_UNITS), TILE_UNITS - 1)
      return [...cells.values()].map((members) => ({
        x: units(mean(members.map((one) => one.x)) / side - x),
        y: units(mean(members.map((one) => one.y)) / side - y),
        count: members.length,
        place:
          onlyOne(members.map(({ photo }) => photo.place)) ?? onlyOne(members.map(({ photo }) => photo.state || null)),
        photo: (members[0] as (typeof placed)[number]).photo,
      }))
    },
    async extentOf(cell) {
      return extentOf(placed.map(({ position }) => position).filter((position) => isWithin(position, cell)))
    },
  }
}

/** The text that all have, apart from those without one; null where texts differ. */
function onlyOne(texts: readonly (string | null)[]): string | null {
  const different = new Set(texts.filter((text) => text !== null))
  return different.size === 1 ? ([...different][0] as string) : null
}

/** Whether a position is in an area, its edges included. */
export function isWithin({ latitude, longitude }: Position, { west, south, east, north }: Area): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

/**
 * The smallest area with all positions: its edges are where the widest gap between two longitudes ends and begins. Null
 * without positions.
 */
export function extentOf(positions: readonly Position[]): Area | null {
  if (positions.length === 0) return null
  const latitudes = positions.map(({ latitude }) => latitude)
  const longitudes = positions.map(({ longitude }) => longitude).sort((a, b) => a - b)
  let [west, east] = [longitudes[0] as number, longitudes.at(-1) as number]
  let widest = west + 360 - east
  for (const [index, longitude] of longitudes.entries()) {
    const before = longitudes[index - 1]
    if (before === undefined || longitude - before <= widest) continue
    widest = longitude - before
    west = longitude
    east = before
  }
  const south = latitudes.reduce((least, latitude) => Math.min(least, latitude))
  const north = latitudes.reduce((most, latitude) => Math.max(most, latitude))
  return { west, south, east, north }
}

/** The same positions, in the east of 180 where the smallest area with all of them crosses the date line: lines between them stay there. */
export function acrossDateLine<Place extends Position>(positions: readonly Place[]): readonly Place[] {
  const extent = extentOf(positions)
  if (!extent || extent.west <= extent.east) return positions
  return positions.map((place) =>
    place.longitude < extent.west ? { ...place, longitude: place.longitude + 360 } : place,
  )
}

/** What two areas have in common, where neither crosses the date line; otherwise the first. */
export function intersection(one: Area, other: Area | null): Area {
  if (!other || one.west > one.east || other.west > other.east) return one
  const west = Math.max(one.west, other.west)
  const east = Math.min(one.east, other.east)
  const south = Math.max(one.south, other.south)
  const north = Math.min(one.north, other.north)
  return west <= east && south <= north ? { west, south, east, north } : one
}
