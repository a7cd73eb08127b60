import { CHANGE_DATES, CREATION_DATES, type DateSource, dateTexts, ORIGINAL_DATES } from './fact-tags.ts'
import { readPosition } from './position.ts'
import { type CameraDate, parseCameraDate, parseNumber, parseZone, type TagGroups } from './tag-values.ts'

const ALL_DATES = [...ORIGINAL_DATES, ...CREATION_DATES, ...CHANGE_DATES]

/** UTC offsets in use that are no whole hours, in minutes. */
const FRACTIONAL_OFFSETS = [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]
const MAX_HOURS_WEST = 12
const MAX_HOURS_EAST = 14
/** Largest difference of a camera's clock that is set by its GPS receiver. */
const MAX_CLOCK_SECONDS = 5
/** Largest difference between a zone and the solar time at the position. */
const MAX_HOURS_FROM_SUN = 4

/**
 * The first of these dates that exists, by the camera's clock, as ISO 8601. It has a zone when the file has one or the receiver's
 * time reveals it. Otherwise it is the local time where the photo was taken, which the server's zone must not shift.
 */
export function readDate(tags: TagGroups, sources: DateSource[]): string | undefined {
  for (const source of sources) {
    const found = parseDateSource(tags, source)
    if (!found) continue
    return found.local + (found.zone ?? zoneOfSameTime(found.local, tags) ?? zoneFromReceiver(found.local, tags) ?? '')
  }
  return undefined
}

function parseDateSource(tags: TagGroups, source: DateSource): CameraDate | undefined {
  const { written, zone } = dateTexts(tags, source)
  const found = parseCameraDate(written)
  return found && { local: found.local, zone: found.zone ?? parseZone(zone) }
}

/** The zone of another date with the same local time. */
function zoneOfSameTime(local: string, tags: TagGroups): string | undefined {
  const dates = ALL_DATES.map((source) => parseDateSource(tags, source))
  return dates.find((date) => date?.local === local && date.zone)?.zone
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
