import type { AccountSettings, Flight } from '../../api/types.ts'
import { countOf, formatDuration, formatPlace } from '../../lib/format.ts'
import { formatDistance, formatHeight } from '../../photos/photo-facts.ts'

/** The limit of the server for the name of a folder, in characters. */
export const FOLDER_NAME_LENGTH = 120

/** Formats a time by the camera's clock. */
function timeFormat(options: Intl.DateTimeFormatOptions): (at: string) => string {
  const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  return (at) => format.format(new Date(`${at}Z`))
}

/** 'June 1, 2026'. */
export const dayOf = timeFormat({ dateStyle: 'long' })
/** '3:04 PM'. */
export const timeOf = timeFormat({ timeStyle: 'short' })
/** '3:04:05 PM': photos of a flight are seconds apart. */
export const exactTimeOf = timeFormat({ timeStyle: 'medium' })

/** Where the flight was; 'Flight' where no place is known. */
export function titleOf({ place }: Pick<Flight, 'place'>): string {
  return formatPlace(place) ?? 'Flight'
}

/** 'Oulu, Finland, June 1, 2026': the name that a flight's folder gets. */
export function folderNameOf(flight: Pick<Flight, 'place' | 'startedAt'>): string {
  const name = `${titleOf(flight)}, ${dayOf(flight.startedAt)}`
  return [...name].slice(0, FOLDER_NAME_LENGTH).join('')
}

/** '40 m above take-off', '12 m below take-off'. */
export function heightOf(metres: number, units: AccountSettings['units']): string {
  return `${formatHeight(Math.abs(metres), units)} ${metres < 0 ? 'below' : 'above'} take-off`
}

export function factsOf(flight: Flight, units: AccountSettings['units']): [label: string, value: string][] {
  const { photoCount, durationSeconds, distanceMetres, greatestHeight } = flight
  return [
    ['Photos', countOf(photoCount, 'photo')],
    ['Duration', formatDuration(durationSeconds)],
    ['Distance', formatDistance(distanceMetres, units)],
    ['Greatest height', greatestHeight === null ? 'Not known' : formatHeight(greatestHeight, units)],
  ]
}

/** '27 photos · 12 min · 3.2 km · 120 m high'. */
export function summaryOf(flight: Flight, units: AccountSettings['units']): string {
  const { photoCount, durationSeconds, distanceMetres, greatestHeight } = flight
  const parts = [
    countOf(photoCount, 'photo'),
    photoCount > 1 && formatDuration(durationSeconds),
    photoCount > 1 && formatDistance(distanceMetres, units),
    greatestHeight !== null && `${formatHeight(greatestHeight, units)} high`,
  ]
  return parts.filter(Boolean).join(' · ')
}
