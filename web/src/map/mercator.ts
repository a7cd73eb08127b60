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

/** The way from one position to another in metres, as `offset` takes it; the shorter way around the earth. */
export function metresBetween(from: Position, to: Position): { east: number; north: number } {
  return {
    east: wrap(to.longitude - from.longitude) * RADIANS * EARTH_RADIUS * Math.cos(from.latitude * RADIANS),
    north: (to.latitude - from.latitude) * RADIANS * EARTH_RADIUS,
  }
}

/** The position of a photo, whose degrees are decimal texts; null where they are missing or no numbers. */
export function positionOf(photo: { latitude: string | null; longitude: string | null }): Position | null {
  if (photo.latitude === null || photo.longitude === null) return null
  const position = { latitude: Number(photo.latitude), longitude: Number(photo.longitude) }
  return Number.isFinite(position.latitude) && Number.isFinite(position.longitude) ? position : null
}
