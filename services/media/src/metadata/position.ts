import { type DroneTags, readDroneTags } from './drone-tags.ts'
import { parseNumber, type TagGroups } from './tag-values.ts'

/** Decimal degrees as text, to seven decimal places (about a centimetre). */
export interface Position {
  latitude: string
  longitude: string
}

type Degrees = { latitude: number | undefined; longitude: number | undefined }

const DECIMAL_PLACES = 7
/** Metres: the edge of space. */
const MAX_ALTITUDE = 100_000
/** Degrees in XMP: `46,50.5564N`, `46,50,33.38N`. */
const XMP_DEGREES = /^(\d{1,3}),(\d{1,2}(?:\.\d{1,12})?)(?:,(\d{1,2}(?:\.\d{1,12})?))?([NSEW])$/i
/** `GPSAltitudeRef` for altitudes below the reference: sea level, and since EXIF 3 the ellipsoid. */
const BELOW_REFERENCE = [1, 3]

/** Where the photo was taken: from EXIF, otherwise from EXIF's tags in XMP, otherwise from the drone's. */
export function readPosition(tags: TagGroups): Position | undefined {
  return toPosition(exifDegrees(tags)) ?? toPosition(xmpDegrees(tags)) ?? toPosition(droneDegrees(readDroneTags(tags)))
}

/**
 * Metres above sea level, negative below it: from EXIF with its reference, otherwise from EXIF's tags in XMP, otherwise
 * from the drone's. An altitude of 0 with a position of 0, 0 is a missing fix.
 */
export function readAltitude(tags: TagGroups): number | undefined {
  const { gps = {}, 'XMP-exif': xmp = {} } = tags
  const exif = parseAltitude(gps.GPSAltitude)
  if (exif !== undefined && !(exif === 0 && isWithoutFix(exifDegrees(tags))))
    return applyReference(exif, gps.GPSAltitudeRef)
  const inXmp = parseAltitude(xmp.GPSAltitude)
  if (inXmp !== undefined) return applyReference(inXmp, xmp.GPSAltitudeRef)
  const drone = readDroneTags(tags)
  const absolute = parseAltitude(drone.AbsoluteAltitude)
  return absolute === 0 && isWithoutFix(droneDegrees(drone)) ? undefined : absolute
}

/** Degrees, minutes and seconds, or degrees alone; undefined without the letter of the hemisphere. */
function toDegrees(written: unknown, reference: unknown, negative: string, positive: string): number | undefined {
  const parts = typeof written === 'number' ? [written] : written
  const letter = typeof reference === 'string' ? reference.trim().toUpperCase().charAt(0) : ''
  if (!Array.isArray(parts) || (letter !== negative && letter !== positive)) return undefined
  const [degrees = Number.NaN, minutes = 0, seconds = 0] = parts.map(Number)
  const value = degrees + minutes / 60 + seconds / 3600
  return letter === negative ? -value : value
}

function exifDegrees({ gps = {} }: TagGroups): Degrees {
  return {
    latitude: toDegrees(gps.GPSLatitude, gps.GPSLatitudeRef, 'S', 'N'),
    longitude: toDegrees(gps.GPSLongitude, gps.GPSLongitudeRef, 'W', 'E'),
  }
}

function xmpDegrees({ 'XMP-exif': xmp = {} }: TagGroups): Degrees {
  const read = (value: unknown, negative: string, positive: string) => {
    const [, degrees, minutes, seconds = '0', letter] = XMP_DEGREES.exec(String(value ?? '').trim()) ?? []
    return letter && toDegrees([degrees, minutes, seconds], letter, negative, positive)
  }
  return {
    latitude: read(xmp.GPSLatitude, 'S', 'N') || undefined,
    longitude: read(xmp.GPSLongitude, 'W', 'E') || undefined,
  }
}

/** Some firmware versions misspell `GpsLongitude`. */
function droneDegrees(drone: DroneTags): Degrees {
  const longitude = drone.GpsLongitude ?? drone.GpsLongtitude ?? drone.GPSLongitude ?? drone.GPSLongtitude
  return { latitude: parseNumber(drone.GpsLatitude ?? drone.GPSLatitude), longitude: parseNumber(longitude) }
}

/** A receiver without a fix writes 0, 0. */
function isWithoutFix({ latitude, longitude }: Degrees): boolean {
  return latitude === 0 && longitude === 0
}

/** The position, if it is on the globe and no missing fix. */
function toPosition(degrees: Degrees): Position | undefined {
  const { latitude, longitude } = degrees
  if (latitude === undefined || longitude === undefined || isWithoutFix(degrees)) return undefined
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  return { latitude: toDecimal(latitude), longitude: toDecimal(longitude) }
}

/** With `toFixed`, since `String` writes tiny numbers with an exponent. */
function toDecimal(value: number): string {
  const fixed = value.toFixed(DECIMAL_PLACES).replace(/\.?0+$/, '')
  return fixed === '-0' ? '0' : fixed
}

/** Metres, if a camera can be there. */
function parseAltitude(value: unknown): number | undefined {
  const metres = parseNumber(value)
  return metres !== undefined && Math.abs(metres) <= MAX_ALTITUDE ? metres : undefined
}

function applyReference(metres: number, reference: unknown): number {
  return BELOW_REFERENCE.includes(parseNumber(reference) ?? 0) ? -metres : metres
}
