import { DRONE_SOURCES, firstValue, POSITION_SOURCES } from './fact-tags.ts'
import { parseNumber, parseText, type TagGroups } from './tag-values.ts'

/** Decimal degrees as text, to seven decimal places (about a centimetre). */
export interface Position {
  latitude: string
  longitude: string
}

type Degrees = { latitude: number | undefined; longitude: number | undefined }

const DECIMAL_PLACES = 7
const MAX_DEGREES_TEXT = 60
/** Metres: the edge of space. */
const MAX_ALTITUDE = 100_000
/** What separates degrees, minutes and seconds in XMP: `46,50.5564`, `46° 50' 33.38"`. */
const SEPARATOR = /[,;\s°º'"′″]+/
/** A letter or word of a hemisphere before or after the degrees. */
const HEMISPHERE = /^[NSEW][a-z]*|[NSEW][a-z]*$/i
/** `GPSAltitudeRef` for altitudes below the reference: sea level, and since EXIF 3 the ellipsoid. */
const BELOW_REFERENCE = [1, 3]

/** Where the photo was taken: from EXIF, otherwise from EXIF's tags in XMP, otherwise from the drone's. */
export function readPosition(tags: TagGroups): Position | undefined {
  return toPosition(exifDegrees(tags)) ?? toPosition(xmpDegrees(tags)) ?? toPosition(droneDegrees(tags))
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
  const absolute = firstValue(tags, DRONE_SOURCES.AbsoluteAltitude, parseAltitude)
  return absolute === 0 && isWithoutFix(droneDegrees(tags)) ? undefined : absolute
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
  return {
    latitude: parseXmpDegrees(xmp.GPSLatitude, xmp.GPSLatitudeRef, 'S', 'N'),
    longitude: parseXmpDegrees(xmp.GPSLongitude, xmp.GPSLongitudeRef, 'W', 'E'),
  }
}

/**
 * Degrees, minutes and seconds with the hemisphere in the text, as XMP prescribes, or in a tag of its own; each may be a
 * fraction. Undefined without a hemisphere, and when sign, letter and tag contradict each other.
 */
function parseXmpDegrees(value: unknown, reference: unknown, negative: string, positive: string): number | undefined {
  const written = parseText(value, MAX_DEGREES_TEXT) ?? ''
  const letter = HEMISPHERE.exec(written)?.[0]
  const [degrees = '', ...smaller] = written
    .replace(HEMISPHERE, '')
    .trim()
    .replace(/["'″′°]$/, '')
    .split(SEPARATOR)
  const hemispheres = [letter, parseText(reference)].flatMap((text) => text?.charAt(0).toUpperCase() ?? [])
  if (degrees.startsWith('-')) hemispheres.push(negative)
  if (new Set(hemispheres).size !== 1 || (letter ?? reference) === undefined) return undefined
  const parts = [degrees.replace(/^[+-]/, ''), ...smaller].map((part) => parseNumber(part) ?? Number.NaN)
  if (parts.length > 3 || parts.slice(1).some((part) => !(part >= 0 && part < 60))) return undefined
  return toDegrees(parts, hemispheres[0], negative, positive)
}

function droneDegrees(tags: TagGroups): Degrees {
  return {
    latitude: firstValue(tags, POSITION_SOURCES.latitude, parseNumber),
    longitude: firstValue(tags, POSITION_SOURCES.longitude, parseNumber),
  }
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
