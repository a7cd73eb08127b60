/** Web Mercator shows latitudes up to here, in degrees. */
export const MAX_LATITUDE = 85.0511287798

/** The mean radius of Web Mercator's sphere, in metres. */
export const EARTH_RADIUS = 6_378_137

/** Decimal degrees. */
export interface Position {
  latitude: number
  longitude: number
}

/** Decimal degrees. `west` is greater than `east` where the area crosses the date line. */
export interface Area {
  west: number
  south: number
  east: number
  north: number
}

const RADIANS = Math.PI / 180

/** A position on the world map: x and y from 0 to 1, y growing to the south. Latitudes beyond the map are at its edge. */
export function project({ latitude, longitude }: Position): { x: number; y: number } {
  const limited = Math.min(Math.max(latitude, -MAX_LATITUDE), MAX_LATITUDE) * RADIANS
  return {
    x: wrap(longitude) / 360 + 0.5,
    y: Math.min(Math.max(0.5 - Math.log(Math.tan(Math.PI / 4 + limited / 2)) / (2 * Math.PI), 0), 1),
  }
}

/** The position at a point of the world map. */
export function unproject({ x, y }: { x: number; y: number }): Position {
  const latitude = (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) / RADIANS
  return { latitude, longitude: (x - 0.5) * 360 }
}

/** The same longitude from -180 to 180; 180 itself stays. */
export function wrap(longitude: number): number {
  if (longitude >= -180 && longitude <= 180) return longitude
  return ((((longitude + 180) % 360) + 360) % 360) - 180
}

/** The position so many metres to the east and the north, on the plane that touches the earth there. */
export function offset({ latitude, longitude }: Position, east: number, north: number): Position {
  return {
    latitude: latitude + north / EARTH_RADIUS / RADIANS,
    longitude: longitude + east / (EARTH_RADIUS * Math.cos(latitude * RADIANS)) / RADIANS,
  }
}

/** How many metres to the east and the north so many degrees are at a latitude, on the same plane. */
export function metresOf(way: Position, latitude: number): { east: number; north: number } {
  const metres = EARTH_RADIUS * RADIANS
  return { east: way.longitude * metres * Math.cos(latitude * RADIANS), north: way.latitude * metres }
}

/** The position of a photo, whose degrees are decimal texts; null where they are missing or no numbers. */
export function positionOf(photo: { latitude: string | null; longitude: string | null }): Position | null {
  if (photo.latitude === null || photo.longitude === null) return null
  const position = { latitude: Number(photo.latitude), longitude: Number(photo.longitude) }
  return Number.isFinite(position.latitude) && Number.isFinite(position.longitude) ? position : null
}

/** A place and the ground around it. */
export interface Circle extends Position {
  /** The radius in metres. */
  metres: number
}

/** A decimetre, about. */
const DECIMALS = 6
const MAX_METRES = 100_000
const NUMBER = /^-?\d{1,6}(\.\d{1,15})?$/

/** The numbers of a text like '1.5,2'; null when there are others than `count`. */
function parseNumbers(text: string | undefined, count: number): number[] | null {
  const parts = (text ?? '').split(',')
  return parts.length === count && parts.every((part) => NUMBER.test(part)) ? parts.map(Number) : null
}

const isLatitude = (value: number) => Math.abs(value) <= 90
const isLongitude = (value: number) => Math.abs(value) <= 180

/** Reads 'west,south,east,north'; null when it is no area. */
export function parseArea(text: string | undefined): Area | null {
  const numbers = parseNumbers(text, 4)
  if (!numbers) return null
  const [west = 0, south = 0, east = 0, north = 0] = numbers
  const isArea = isLongitude(west) && isLongitude(east) && isLatitude(south) && isLatitude(north) && south <= north
  return isArea ? { west, south, east, north } : null
}

/** The area as the URL and the server have it, rounded outwards; empty without one. */
export function formatArea(area: Area | null): string {
  if (!area) return ''
  const factor = 10 ** DECIMALS
  // A decimal number may be a trace above or below itself.
  const down = (value: number) => Math.floor(value * factor + 1e-6) / factor
  const up = (value: number) => Math.ceil(value * factor - 1e-6) / factor
  return [down(area.west), down(area.south), up(area.east), up(area.north)].join()
}

/** Reads 'latitude,longitude,metres'; null when it is no circle. */
export function parseCircle(text: string | undefined): Circle | null {
  const numbers = parseNumbers(text, 3)
  if (!numbers) return null
  const [latitude = 0, longitude = 0, metres = 0] = numbers
  const isCircle = isLatitude(latitude) && isLongitude(longitude) && metres > 0 && metres <= MAX_METRES
  return isCircle ? { latitude, longitude, metres } : null
}

/** The circle as the URL and the server have it; empty without one. */
export function formatCircle(circle: Circle | null): string {
  if (!circle) return ''
  return [circle.latitude, circle.longitude]
    .map((value) => Number(value.toFixed(DECIMALS)))
    .concat(circle.metres)
    .join()
}

export function areaAround(circle: Circle): Area {
  const southWest = offset(circle, -circle.metres, -circle.metres)
  const northEast = offset(circle, circle.metres, circle.metres)
  return { west: southWest.longitude, south: southWest.latitude, east: northEast.longitude, north: northEast.latitude }
}
