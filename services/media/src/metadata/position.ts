import { type DroneTags, readDroneTags } from './drone-tags.ts'
import { parseNumber, type TagGroups } from './tag-values.ts'

/** Decimal degrees as decimal text, to seven places (about a centimetre). */
export interface Position {
  latitude: string
  longitude: string
}

type Degrees = { latitude: number | undefined; longitude: number | undefined }

const PLACES = 7
/** Metres; above is space. */
const MAX_ALTITUDE = 100_000
/** As XMP writes degrees: `46,50.5564N`, `46,50,33.38N`. */
const XMP_DEGREES = /^(\d{1,3}),(\d{1,2}(?:\.\d{1,12})?)(?:,(\d{1,2}(?:\.\d{1,12})?))?([NSEW])$/i
/** `GPSAltitudeRef` of heights below the reference: of sea level, and since EXIF 3 of the ellipsoid. */
const BELOW = [1, 3]

/** Degrees, minutes and seconds, or degrees alone, with the letter of their hemisphere. Without the letter the side is unknown. */
function fromParts(written: unknown, reference: unknown, negative: string, positive: string): number | undefined {
  const parts = typeof written === 'number' ? [written] : written
  const letter = typeof reference === 'string' ? reference.trim().toUpperCase().charAt(0) : ''
  if (!Array.isArray(parts) || (letter !== negative && letter !== positive)) return undefined
  const [degrees = Number.NaN, minutes = 0, seconds = 0] = parts.map(Number)
  const value = degrees + minutes / 60 + seconds / 3600
  return letter === negative ? -value : value
}

function ofExif({ gps = {} }: TagGroups): Degrees {
  return {
    latitude: fromParts(gps.GPSLatitude, gps.GPSLatitudeRef, 'S', 'N'),
    longitude: fromParts(gps.GPSLongitude, gps.GPSLongitudeRef, 'W', 'E'),
  }
}

function ofXmp({ 'XMP-exif': xmp = {} }: TagGroups): Degrees {
  const read = (value: unknown, negative: string, positive: string) => {
    const [, degrees, minutes, seconds = '0', letter] = XMP_DEGREES.exec(String(value ?? '').trim()) ?? []
    return letter && fromParts([degrees, minutes, seconds], letter, negative, positive)
  }
  return {
    latitude: read(xmp.GPSLatitude, 'S', 'N') || undefined,
    longitude: read(xmp.GPSLongitude, 'W', 'E') || undefined,
  }
}

/** Some firmwares misspell one of the names. */
function ofDrone(drone: DroneTags): Degrees {
  const longitude = drone.GpsLongitude ?? drone.GpsLongtitude ?? drone.GPSLongitude ?? drone.GPSLongtitude
  return { latitude: parseNumber(drone.GpsLatitude ?? drone.GPSLatitude), longitude: parseNumber(longitude) }
}

/** 0, 0 is what a receiver writes that has no fix. */
function withoutFix({ latitude, longitude }: Degrees): boolean {
  return latitude === 0 && longitude === 0
}

/** A position that is on the globe. */
function valid(degrees: Degrees): Position | undefined {
  const { latitude, longitude } = degrees
  if (latitude === undefined || longitude === undefined || withoutFix(degrees)) return undefined
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  return { latitude: decimal(latitude), longitude: decimal(longitude) }
}

/** `toFixed` and not `String`: tiny numbers would be written with an exponent. */
function decimal(value: number): string {
  const fixed = value.toFixed(PLACES).replace(/\.?0+$/, '')
  return fixed === '-0' ? '0' : fixed
}

/** Where the photo was taken: by EXIF, otherwise by EXIF's tags in XMP, otherwise by the drone's. */
export function readPosition(tags: TagGroups): Position | undefined {
  return valid(ofExif(tags)) ?? valid(ofXmp(tags)) ?? valid(ofDrone(readDroneTags(tags)))
}

/** Metres that a camera may be at. */
function height(value: unknown): number | undefined {
  const metres = parseNumber(value)
  return metres !== undefined && Math.abs(metres) <= MAX_ALTITUDE ? metres : undefined
}

function signed(metres: number, reference: unknown): number {
  return BELOW.includes(parseNumber(reference) ?? 0) ? -metres : metres
}

/**
 * Metres above sea level, negative below it: by EXIF with its reference, otherwise by EXIF's tags in XMP, otherwise by
 * the drone's. The 0 beside a position without a fix is no height.
 */
export function readAltitude(tags: TagGroups): number | undefined {
  const { gps = {}, 'XMP-exif': xmp = {} } = tags
  const exif = height(gps.GPSAltitude)
  if (exif !== undefined && !(exif === 0 && withoutFix(ofExif(tags)))) return signed(exif, gps.GPSAltitudeRef)
  const inXmp = height(xmp.GPSAltitude)
  if (inXmp !== undefined) return signed(inXmp, xmp.GPSAltitudeRef)
  const drone = readDroneTags(tags)
  const absolute = height(drone.AbsoluteAltitude)
  return absolute === 0 && withoutFix(ofDrone(drone)) ? undefined : absolute
}
