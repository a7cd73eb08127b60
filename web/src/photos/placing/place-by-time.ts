import type { Photo } from '../../api/types.ts'
import { countOf, formatDuration } from '../../lib/format.ts'
import { type Position, positionOf, wrap } from '../../lib/geography.ts'
import { readDateTaken } from '../photo-facts.ts'
import { type Fix, MAX_GAP_MS } from './gpx.ts'

/** A photo that was taken so long before or after a part of the track has its first or last position: receivers start and end late. */
const MAX_OUTSIDE_MS = 60_000

/** What makes UTC of a camera's clock. */
interface CameraClock {
  /** Minutes east of UTC, for photos that do not say their zone. */
  zone: number
  /** Seconds to add: positive for a clock that is slow. */
  correction: number
}

type DatedPhoto = Pick<Photo, 'dateTaken'>

/** Where a track puts a photo, or why it does not. */
export type Placing<P> = { photo: P } & ({ to: Position } | { to: null; reason: string })

/** Finds where each photo was taken, on a track in the order of time. */
export function placeByTime<P extends DatedPhoto>(
  photos: readonly P[],
  track: readonly Fix[],
  clock: CameraClock,
): Placing<P>[] {
  return photos.map((photo) => {
    const at = timeOf(photo, clock)
    return at === null ? { photo, to: null, reason: 'no date taken' } : { photo, ...placeAt(track, at) }
  })
}

/** Milliseconds of UTC; null without a date. */
function timeOf({ dateTaken }: DatedPhoto, clock: CameraClock): number | null {
  const date = readDateTaken(dateTaken)
  const zone = date?.zone.replace(/^(.\d\d)(\d\d)$/, '$1:$2') || 'Z'
  const at = date ? Date.parse(`${date.clock}${zone}`) : Number.NaN
  if (!date || Number.isNaN(at)) return null
  return at - (date.zone ? 0 : clock.zone * 60_000) + clock.correction * 1000
}

function placeAt(track: readonly Fix[], at: number): { to: Position } | { to: null; reason: string } {
  const index = firstAfter(track, at)
  const [before, after] = [track[index - 1], track[index]]
  if (before?.at === at) return { to: { latitude: before.latitude, longitude: before.longitude } }
  if (before && after && before.segment === after.segment && after.at - before.at <= MAX_GAP_MS) {
    return { to: between(before, after, (at - before.at) / (after.at - before.at)) }
  }
  const sinceBefore = before ? at - before.at : Number.POSITIVE_INFINITY
  const untilAfter = after ? after.at - at : Number.POSITIVE_INFINITY
  const nearest = sinceBefore <= untilAfter ? before : after
  if (nearest && Math.min(sinceBefore, untilAfter) <= MAX_OUTSIDE_MS) {
    return { to: { latitude: nearest.latitude, longitude: nearest.longitude } }
  }
  if (!before) return { to: null, reason: `${howLong(untilAfter)} before the track` }
  if (!after) return { to: null, reason: `${howLong(sinceBefore)} after the track` }
  return { to: null, reason: `in a gap of ${howLong(after.at - before.at)} in the track` }
}

const DAY_MS = 24 * 3600_000

function howLong(ms: number): string {
  return ms < 2 * DAY_MS ? formatDuration(Math.round(ms / 1000)) : countOf(Math.floor(ms / DAY_MS), 'day')
}

/** The index of the first fix later than this; the length of the track without one. */
function firstAfter(track: readonly Fix[], at: number): number {
  let [low, high] = [0, track.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((track[middle] as Fix).at <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** On the shorter way, also across the date line. */
function between(one: Position, other: Position, part: number): Position {
  return {
    latitude: one.latitude + (other.latitude - one.latitude) * part,
    longitude: wrap(one.longitude + wrap(other.longitude - one.longitude) * part),
  }
}

/** Whether a photo has a date without a zone. */
export function needsZone({ dateTaken }: DatedPhoto): boolean {
  return readDateTaken(dateTaken)?.zone === ''
}

/** Offsets of zones from UTC that are in use, in minutes: whole and half hours, and Nepal, Eucla and Chatham. */
export const ZONES = [
  ...Array.from({ length: 53 }, (_, index) => -12 * 60 + index * 30),
  ...[5 * 60 + 45, 8 * 60 + 45, 12 * 60 + 45, 13 * 60 + 45],
].sort((a, b) => a - b)

/**
 * Guesses the zone of photos that do not say theirs: the one with which the most are on the track. Of equal ones that of this
 * device, then the nearest one to the solar time on the track.
 * @param ofDevice minutes east of UTC
 */
export function guessZone(photos: readonly DatedPhoto[], track: readonly Fix[], ofDevice: number): number {
  const unknown = photos.filter(needsZone)
  const solar = ((track[0]?.longitude ?? 0) / 180) * 12 * 60
  const ranked = ZONES.map((zone) => ({
    zone,
    onTrack: placeByTime(unknown, track, { zone, correction: 0 }).filter(({ to }) => to).length,
    distance: zone === ofDevice ? -1 : Math.abs(zone - solar),
  }))
  const best = ranked.reduce((a, b) =>
    b.onTrack > a.onTrack || (b.onTrack === a.onTrack && b.distance < a.distance) ? b : a,
  )
  return best.onTrack > 0 ? best.zone : ZONES.includes(ofDevice) ? ofDevice : best.zone
}

/** The offset of this device's zone when the first photo was taken, in minutes east of UTC. */
export function deviceZone([first]: readonly DatedPhoto[]): number {
  const date = new Date(readDateTaken(first?.dateTaken ?? null)?.clock ?? Date.now())
  return -date.getTimezoneOffset()
}

const two = (value: number) => String(value).padStart(2, '0')

/** 'UTC', 'UTC+05:30', 'UTC−03:00'. */
export function formatZone(minutes: number): string {
  if (minutes === 0) return 'UTC'
  const size = Math.abs(minutes)
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

const CORRECTION = /^([+\-−]?)(\d{1,6}):([0-5]\d):([0-5]\d)$/

/** '+0:01:30', '−12:00:00', '0:00:00'. */
export function formatCorrection(seconds: number): string {
  const size = Math.abs(seconds)
  const sign = seconds > 0 ? '+' : seconds < 0 ? '−' : ''
  return `${sign}${Math.floor(size / 3600)}:${two(Math.floor(size / 60) % 60)}:${two(size % 60)}`
}

/** The seconds of hours:minutes:seconds with or without a sign; null for other texts. */
export function parseCorrection(text: string): number | null {
  const [match, sign, hours, minutes, seconds] = CORRECTION.exec(text.trim()) ?? []
  if (match === undefined) return null
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '' || sign === '+' || size === 0 ? size : -size
}

/** Photos that get a position, and those that a track does not place. */
export function sortOut<P extends DatedPhoto & Parameters<typeof positionOf>[0]>(placings: readonly Placing<P>[]) {
  const placed = placings.flatMap((one) =>
    one.to ? [{ photo: one.photo, from: positionOf(one.photo), to: one.to }] : [],
  )
  const others = placings.flatMap((one) => (one.to ? [] : [{ photo: one.photo, reason: one.reason }]))
  return { placed, others }
}
