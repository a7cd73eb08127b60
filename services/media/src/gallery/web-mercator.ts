/*
 * The map in Web Mercator, as the SQL functions `map_x`, `map_y` and `map_key` have it: the whole world is 2^26 wide and
 * high, x to the east and y to the south. The key of a place has the bits of x and y by turns (Morton code), so every tile
 * is one range of keys.
 */

export const MAP_BITS = 26
const WORLD = 2 ** MAP_BITS
const LAST = WORLD - 1
/** Where the square map ends. */
const MAX_LATITUDE = 85.0511287798

/** Keys from `low` to `high`, both included. */
export interface KeyRange {
  low: number
  high: number
}

/** A rectangle in degrees that does not cross the date line. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** Not rounded, from 0 to 2^26. */
export function worldX(longitude: number): number {
  return ((longitude + 180) / 360) * WORLD
}

/** Not rounded, from 0 to 2^26. Latitudes beyond the map are at its edge. */
export function worldY(latitude: number): number {
  const clamped = Math.min(MAX_LATITUDE, Math.max(-MAX_LATITUDE, latitude))
  return (0.5 - Math.atanh(Math.sin((clamped * Math.PI) / 180)) / (2 * Math.PI)) * WORLD
}

export function longitudeOf(x: number): number {
  return (x / WORLD) * 360 - 180
}

export function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh((0.5 - y / WORLD) * 2 * Math.PI)) * 180) / Math.PI
}

/** Zoom, and the place from the west and from the north. */
export interface TileId {
  z: number
  x: number
  y: number
}

/** The keys of a tile. */
export function tileRange({ z, x, y }: TileId): KeyRange {
  const keys = 4 ** (MAP_BITS - z)
  const low = interleave(x, y) * keys
  return { low, high: low + keys - 1 }
}

/** Cells along the longer side of a box that is covered; more would be more ranges, fewer would cover more around it. */
const CELLS_PER_SIDE = 16

/** Few ranges of keys that contain every place in the boxes, and some around them. */
export function coverBoxes(boxes: Box[]): KeyRange[] {
  const ranges = boxes.flatMap(coverBox).sort((a, b) => a.low - b.low)
  const merged: KeyRange[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.low <= last.high + 1) last.high = Math.max(last.high, range.high)
    else merged.push({ ...range })
  }
  return merged
}

function coverBox({ west, south, east, north }: Box): KeyRange[] {
  // PostgreSQL may round the last digit in another way.
  const [left, right] = [cellOf(worldX(west) - 1), cellOf(worldX(east) + 1)]
  const [top, bottom] = [cellOf(worldY(north) - 1), cellOf(worldY(south) + 1)]
  const side = Math.max(right - left, bottom - top) / CELLS_PER_SIDE
  const z = MAP_BITS - Math.min(MAP_BITS, Math.ceil(Math.log2(Math.max(1, side))))
  const size = 2 ** (MAP_BITS - z)
  const ranges: KeyRange[] = []
  for (let y = Math.floor(top / size); y <= Math.floor(bottom / size); y += 1) {
    for (let x = Math.floor(left / size); x <= Math.floor(right / size); x += 1) ranges.push(tileRange({ z, x, y }))
  }
  return ranges
}

function cellOf(position: number): number {
  return Math.min(LAST, Math.max(0, Math.floor(position)))
}

/** The bits of both numbers by turns. A key has 52 bits, which a number holds exactly. */
function interleave(x: number, y: number): number {
  let key = 0
  for (let bit = 0, unit = 1; bit < MAP_BITS; bit += 1, unit *= 4) {
    key += (((x >> bit) & 1) + 2 * ((y >> bit) & 1)) * unit
  }
  return key
}
