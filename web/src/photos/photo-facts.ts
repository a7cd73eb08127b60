import type { AccountSettings, Photo } from '../api/types.ts'
import { formatNumber } from '../lib/format.ts'
import { formatOf } from './formats.ts'

export type Metadata = NonNullable<Photo['metadata']>

const DATE_TAKEN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/

/** The camera's local time, and its zone: '+02:00', 'Z', or empty if it is unknown. Null without a date. */
export function readDateTaken(text: string | null): { clock: string; zone: string } | null {
  const [, clock, zone = ''] = DATE_TAKEN.exec(text ?? '') ?? []
  return clock === undefined ? null : { clock, zone }
}

/** '1/240 s', '0.5 s', '30 s'. */
export function formatExposureTime(seconds: number): string {
  if (seconds < 0.25001) return `1/${formatNumber(Math.round(1 / seconds))} s`
  return `${Number(seconds.toFixed(1))} s`
}

/** Time, f-number and ISO: '1/240 s · f/2.8 · ISO 100', the known ones; null without any. */
export function formatExposure({ ExposureTime, FNumber, ISO }: Metadata): string | null {
  const parts = [
    ExposureTime && formatExposureTime(ExposureTime),
    FNumber && `f/${Number(FNumber.toFixed(1))}`,
    ISO && `ISO ${ISO}`,
  ]
  return parts.filter(Boolean).join(' · ') || null
}

/** '4.7 mm (28 mm equivalent)', as on a 35 mm camera; what is known of it, null without anything. */
export function formatFocalLength({ FocalLength, FocalLengthIn35mmFormat }: Metadata): string | null {
  const [own, full] = [FocalLength, FocalLengthIn35mmFormat].map((length) => length && `${oneDecimal(length)} mm`)
  if (!full) return own || null
  return own ? `${own} (${full} equivalent)` : `${full} equivalent`
}

/** 'DJI FC7303'; the maker is not repeated if the model starts with it. Null without both. */
export function formatCamera({ Make, Model }: Metadata): string | null {
  if (Make && Model?.toLowerCase().startsWith(Make.toLowerCase())) return Model
  return [Make, Model].filter(Boolean).join(' ') || null
}

/** '5,280 × 3,956 pixels': after orientation if that is known, otherwise from the camera's metadata. */
export function formatDimensions(photo: Pick<Photo, 'width' | 'height'>, metadata: Metadata | null): string | null {
  const width = photo.width ?? metadata?.ExifImageWidth
  const height = photo.height ?? metadata?.ExifImageHeight
  return width && height ? `${formatNumber(width)} × ${formatNumber(height)} pixels` : null
}

type File = Pick<Photo, 'filename'>

/** True for the raw file of a pair. The JPEG stands for it: no list has it. */
export function isPairedRaw({ pairedWith, raw }: Pick<Photo, 'pairedWith' | 'raw'>): boolean {
  return pairedWith !== null && raw === null
}

/** Two photos that can be the JPEG and the raw file of one shot; undefined for others. Only the server knows whether they fit. */
export function possiblePair<T extends File & Pick<Photo, 'pairedWith'>>(photos: readonly T[]) {
  if (photos.length !== 2 || photos.some(({ pairedWith }) => pairedWith !== null)) return undefined
  const jpeg = photos.find((photo) => formatOf(photo) === 'JPEG')
  const raw = photos.find((photo) => ['DNG', 'TIFF'].includes(formatOf(photo)))
  return jpeg && raw && { jpeg, raw }
}

/** '−89.9°', '12.5°'; with a typographic minus sign. */
export function formatDegrees(degrees: number): string {
  return `${formatSigned(degrees)}°`
}

type Units = AccountSettings['units']

const METRES_PER_FOOT = 0.3048
const KILOMETRES_PER_MILE = 1.609344

/** A height in the user's units: '119.7 m', '393 ft'. */
export function formatHeight(metres: number, units: Units): string {
  if (units === 'metric') return `${formatSigned(metres)} m`
  return `${formatSigned(Math.round(metres / METRES_PER_FOOT))} ft`
}

/** '5.1 km' for 3.2 miles. */
export function formatMilesAsKilometres(miles: number): string {
  return `${(miles * KILOMETRES_PER_MILE).toFixed(1)} km`
}

/** A distance in the user's units: '850 m', '3.2 km', '420 ft', '2.0 mi'. */
export function formatDistance(metres: number, units: Units): string {
  if (units === 'metric')
    return metres < 1000 ? `${Math.round(metres)} m` : `${formatNumber(oneDecimal(metres / 1000))} km`
  const miles = metres / 1000 / KILOMETRES_PER_MILE
  if (miles < 0.2) return `${formatNumber(Math.round(metres / METRES_PER_FOOT))} ft`
  return `${formatNumber(oneDecimal(miles))} mi`
}

function oneDecimal(value: number): number {
  return Number(value.toFixed(1))
}

function formatSigned(value: number): string {
  const rounded = Number(value.toFixed(1)) + 0
  return formatNumber(rounded).replace('-', '−')
}

export function mapLink(latitude: string, longitude: string): string {
  return mapSearchLink(`${Number(latitude).toFixed(6)},${Number(longitude).toFixed(6)}`)
}

/** A search for a place or an address in an external maps service. */
export function mapSearchLink(query: string): string {
  return `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(query)}`
}
