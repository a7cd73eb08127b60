import { number, type TagGroups } from './values.ts'

/** Decimal degrees as decimal text, to seven places (about a centimetre). */
export interface Position {
  latitude: string
  longitude: string
}

const PLACES = 7

/** Degrees, minutes and seconds with the letter of their hemisphere. Without the letter the side is unknown. */
function fromDegrees(parts: unknown, reference: unknown, negative: string, positive: string): number | undefined {
  const letter = typeof reference === 'string' ? reference.trim().toUpperCase() : ''
  if (!Array.isArray(parts) || (letter !== negative && letter !== positive)) return undefined
  const [degrees = Number.NaN, minutes = 0, seconds = 0] = parts.map(Number)
  const value = degrees + minutes / 60 + seconds / 3600
  return letter === negative ? -value : value
}

/** A position that is on the globe. 0, 0 is what a receiver writes that has no fix. */
function valid(latitude: number | undefined, longitude: number | undefined): Position | undefined {
  if (latitude === undefined || longitude === undefined) return undefined
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  if (latitude === 0 && longitude === 0) return undefined
  return { latitude: decimal(latitude), longitude: decimal(longitude) }
}

function decimal(value: number): string {
  return String(Number(value.toFixed(PLACES)))
}

/** Where the photo was taken: by EXIF, otherwise by DJI's XMP, which some firmwares misspell. */
export function readPosition({ gps = {}, 'drone-dji': dji = {} }: TagGroups): Position | undefined {
  const exif = valid(
    fromDegrees(gps.GPSLatitude, gps.GPSLatitudeRef, 'S', 'N'),
    fromDegrees(gps.GPSLongitude, gps.GPSLongitudeRef, 'W', 'E'),
  )
  return exif ?? valid(number(dji.GpsLatitude), number(dji.GpsLongitude ?? dji.GpsLongtitude))
}

/** Metres above sea level: by EXIF, otherwise by DJI's XMP. */
export function readAltitude({ gps = {}, 'drone-dji': dji = {} }: TagGroups): number | undefined {
  const metres = number(gps.GPSAltitude)
  if (metres === undefined) return number(dji.AbsoluteAltitude)
  return number(gps.GPSAltitudeRef) === 1 ? -metres : metres
}
