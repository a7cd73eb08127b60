import { readPosition } from './position.ts'
import { type CameraDate, parseCameraDate, parseNumber, parseZone, type TagGroups } from './tag-values.ts'

/** Minutes east of Greenwich that clocks somewhere go by and that are no whole hours. */
const ODD_OFFSETS = [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]
const MAX_HOURS_WEST = 12
const MAX_HOURS_EAST = 14
/** A camera that is set by its receiver is this near to it. */
const MAX_SECONDS_APART = 5
/** Zones lie this near to where the sun says. */
const MAX_HOURS_FROM_SUN = 4

/** The time of the receiver, which is UTC, in milliseconds. */
function receiverTime({ gps = {} }: TagGroups): number | undefined {
  const day = typeof gps.GPSDateStamp === 'string' ? /^(\d{4})[:-](\d\d)[:-](\d\d)/.exec(gps.GPSDateStamp) : null
  const time = Array.isArray(gps.GPSTimeStamp) ? gps.GPSTimeStamp.map(Number) : []
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = time
  if (!day || gps.GPSStatus === 'V') return undefined
  const at =
    Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) + ((hours * 60 + minutes) * 60 + seconds) * 1000
  return Number.isFinite(at) ? at : undefined
}

function isInUse(minutes: number): boolean {
  const hours = minutes / 60
  if (Number.isInteger(hours)) return hours >= -MAX_HOURS_WEST && hours <= MAX_HOURS_EAST
  return ODD_OFFSETS.includes(minutes)
}

function written(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/**
 * The zone that lies between the camera's clock and the receiver's, when there is no doubt: the difference is an
 * offset that is in use, to a few seconds, and one that belongs to where the photo was taken.
 */
function zoneByReceiver(local: string, tags: TagGroups): string | undefined {
  const receiver = receiverTime(tags)
  const longitude = parseNumber(readPosition(tags)?.longitude)
  if (receiver === undefined || longitude === undefined) return undefined
  const seconds = (Date.parse(`${local}Z`) - receiver) / 1000
  const minutes = Math.round(seconds / 900) * 15
  if (Math.abs(seconds - minutes * 60) > MAX_SECONDS_APART || !isInUse(minutes)) return undefined
  const fromSun = Math.abs(minutes / 60 - longitude / 15)
  return Math.min(fromSun, 24 - fromSun) <= MAX_HOURS_FROM_SUN ? written(minutes) : undefined
}

/** The zone of a date by the tags beside it: those of other dates count when these are the same. */
function zoneBeside({ local }: CameraDate, tags: TagGroups): string | undefined {
  const { ifd0 = {}, exif = {}, 'XMP-exif': xmp = {} } = tags
  const beside = [
    [exif.DateTimeOriginal, exif.OffsetTimeOriginal],
    [exif.CreateDate, exif.OffsetTimeDigitized],
    [ifd0.ModifyDate, exif.OffsetTime],
    [xmp.DateTimeOriginal, parseCameraDate(xmp.DateTimeOriginal)?.zone],
    [xmp.DateTimeDigitized, parseCameraDate(xmp.DateTimeDigitized)?.zone],
  ]
  for (const [other, offset] of beside) {
    const found = parseCameraDate(other)?.local === local ? parseZone(offset) : undefined
    if (found) return found
  }
  return undefined
}

function withZone(found: CameraDate | undefined, tags: TagGroups): string | undefined {
  if (!found) return undefined
  return found.local + (found.zone ?? zoneBeside(found, tags) ?? zoneByReceiver(found.local, tags) ?? '')
}

/**
 * When the photo was taken by the camera's clock, as ISO 8601. It has a zone when the camera wrote one or its receiver
 * tells: without one it is the time on the wall where the photo was taken, and no server's zone may shift it.
 */
export function readDateTimeOriginal(tags: TagGroups): string | undefined {
  return withZone(
    parseCameraDate(tags.exif?.DateTimeOriginal) ?? parseCameraDate(tags['XMP-exif']?.DateTimeOriginal),
    tags,
  )
}

/** When the photo became a file, which is the same for cameras. */
export function readCreateDate(tags: TagGroups): string | undefined {
  return withZone(parseCameraDate(tags.exif?.CreateDate) ?? parseCameraDate(tags['XMP-exif']?.DateTimeDigitized), tags)
}
