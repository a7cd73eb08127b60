import { readPosition } from './position.ts'
import { type CameraDate, parseCameraDate, parseNumber, parseZone, type TagGroups } from './tag-values.ts'

/** UTC offsets in use that are no whole hours, in minutes. */
const FRACTIONAL_OFFSETS = [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]
const MAX_HOURS_WEST = 12
const MAX_HOURS_EAST = 14
/** Largest difference of a camera's clock that is set by its GPS receiver. */
const MAX_CLOCK_SECONDS = 5
/** Largest difference between a zone and the solar time at the position. */
const MAX_HOURS_FROM_SUN = 4

/**
 * When the photo was taken by the camera's clock, as ISO 8601. It has a zone when the camera wrote one or the receiver's
 * time reveals it. Otherwise it is the local time where the photo was taken, which the server's zone must not shift.
 */
export function readDateTimeOriginal(tags: TagGroups): string | undefined {
  return withZone(
    parseCameraDate(tags.exif?.DateTimeOriginal) ?? parseCameraDate(tags['XMP-exif']?.DateTimeOriginal),
    tags,
  )
}

/** When the file was created, which for cameras is when the photo was taken. */
export function readCreateDate(tags: TagGroups): string | undefined {
  return withZone(parseCameraDate(tags.exif?.CreateDate) ?? parseCameraDate(tags['XMP-exif']?.DateTimeDigitized), tags)
}

/** The UTC time of the GPS receiver, in milliseconds. */
function receiverTime({ gps = {} }: TagGroups): number | undefined {
  const day = typeof gps.GPSDateStamp === 'string' ? /^(\d{4})[:-](\d\d)[:-](\d\d)/.exec(gps.GPSDateStamp) : null
  const time = Array.isArray(gps.GPSTimeStamp) ? gps.GPSTimeStamp.map(Number) : []
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = time
  if (!day || gps.GPSStatus === 'V') return undefined
  const at =
    Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) + ((hours * 60 + minutes) * 60 + seconds) * 1000
  return Number.isFinite(at) ? at : undefined
}

function isOffsetInUse(minutes: number): boolean {
  const hours = minutes / 60
  if (Number.isInteger(hours)) return hours >= -MAX_HOURS_WEST && hours <= MAX_HOURS_EAST
  return FRACTIONAL_OFFSETS.includes(minutes)
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/**
 * The difference between the camera's clock and the receiver's, when it is certainly a zone: within a few seconds an
 * offset that is in use, and one that fits the position.
 */
function zoneFromReceiver(local: string, tags: TagGroups): string | undefined {
  const receiver = receiverTime(tags)
  const longitude = parseNumber(readPosition(tags)?.longitude)
  if (receiver === undefined || longitude === undefined) return undefined
  const seconds = (Date.parse(`${local}Z`) - receiver) / 1000
  const minutes = Math.round(seconds / 900) * 15
  if (Math.abs(seconds - minutes * 60) > MAX_CLOCK_SECONDS || !isOffsetInUse(minutes)) return undefined
  const fromSun = Math.abs(minutes / 60 - longitude / 15)
  return Math.min(fromSun, 24 - fromSun) <= MAX_HOURS_FROM_SUN ? formatOffset(minutes) : undefined
}

/** The zone of a date from its offset tag, or from that of another date tag with the same local time. */
function zoneFromTags({ local }: CameraDate, tags: TagGroups): string | undefined {
  const { ifd0 = {}, exif = {}, 'XMP-exif': xmp = {} } = tags
  const candidates = [
    [exif.DateTimeOriginal, exif.OffsetTimeOriginal],
    [exif.CreateDate, exif.OffsetTimeDigitized],
    [ifd0.ModifyDate, exif.OffsetTime],
    [xmp.DateTimeOriginal, parseCameraDate(xmp.DateTimeOriginal)?.zone],
    [xmp.DateTimeDigitized, parseCameraDate(xmp.DateTimeDigitized)?.zone],
  ]
  for (const [other, offset] of candidates) {
    const found = parseCameraDate(other)?.local === local ? parseZone(offset) : undefined
    if (found) return found
  }
  return undefined
}

function withZone(found: CameraDate | undefined, tags: TagGroups): string | undefined {
  if (!found) return undefined
  return found.local + (found.zone ?? zoneFromTags(found, tags) ?? zoneFromReceiver(found.local, tags) ?? '')
}
