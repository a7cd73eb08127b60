import { DRONE_TAGS } from '../src/metadata/drone-tags.ts'
import type { PhotoFacts } from '../src/metadata/facts.ts'

/** What `exiftool -n -json` says of one file. */
export type ExifTool = Record<string, unknown>

/** The tags that are compared, as ExifTool is asked for them. */
export const COMPARED_TAGS = [
  ...[
    'Make',
    'Model',
    'LensModel',
    'ExposureTime',
    'FNumber',
    'ISO',
    'FocalLength',
    'ExifImageWidth',
    'ExifImageHeight',
  ],
  ...['DateTimeOriginal', 'GPSLatitude', 'GPSLongitude', 'GPSLongtitude', 'GPSAltitude', ...DRONE_TAGS],
]

const NUMBERS = ['ExposureTime', 'FNumber', 'ISO', 'FocalLength', 'ExifImageWidth', 'ExifImageHeight'] as const
const DEGREES = 1e-6
const DIGITS = 10

/** A number as both write it: ExifTool prints fractions with ten significant digits, and `undef` for those by 0. */
function numberOf(value: unknown): number | undefined {
  const first = typeof value === 'string' ? value.trim().split(' ')[0] : value
  if (first === undefined || first === null || first === '') return undefined
  const parsed = Number(first)
  return Number.isFinite(parsed) ? Number(parsed.toPrecision(DIGITS)) : undefined
}

function textOf(value: unknown): string | undefined {
  const clean = String(value ?? '')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return clean.slice(0, 200) || undefined
}

/** The day and time without fractions of a second and zone; a date that does not exist is none. */
function dateOf(value: unknown): string | undefined {
  const [, year, month, day, time] = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d:\d\d(?::\d\d)?)/.exec(String(value)) ?? []
  const local = `${year}-${month}-${day}T${time?.padEnd(8, ':00')}`
  const parsed = new Date(`${local}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(local) ? local : undefined
}

/** The position that ExifTool gives; 0, 0 and places that are not on the globe are none here. */
function positionOf(said: ExifTool): [number, number] | undefined {
  const latitude = numberOf(said.GPSLatitude)
  const longitude = numberOf(said.GPSLongitude) ?? numberOf(said.GPSLongtitude)
  if (latitude === undefined || longitude === undefined) return undefined
  if ((latitude === 0 && longitude === 0) || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined
  return [latitude, longitude]
}

/** The height that ExifTool gives; without EXIF's it is the drone's, and 0 without a position is none. */
function altitudeOf(said: ExifTool): number | undefined {
  const heights = [numberOf(said.GPSAltitude), numberOf(said.AbsoluteAltitude)]
  return heights.find((height) => height !== undefined && (height !== 0 || positionOf(said) !== undefined))
}

function aboveZero(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}

/**
 * How our reading of a file differs from ExifTool's, one line for each tag; empty when it does not. Where the two
 * differ by design is written in METADATA.md.
 */
export function differences(said: ExifTool, ours: PhotoFacts): string[] {
  const found: string[] = []
  function compare(tag: string, theirs: unknown, mine: unknown): void {
    if (theirs !== mine) found.push(`${tag}: ExifTool ${theirs ?? 'none'}, here ${mine ?? 'none'}`)
  }

  const metadata = ours.metadata ?? {}
  for (const tag of ['Make', 'Model', 'LensModel'] as const) compare(tag, textOf(said[tag]), metadata[tag])
  for (const tag of NUMBERS)
    if (tag in said || !tag.startsWith('ExifImage')) compare(tag, aboveZero(numberOf(said[tag])), metadata[tag])
  for (const tag of DRONE_TAGS) compare(tag, numberOf(said[tag]), metadata.drone?.[tag])
  compare('DateTimeOriginal', dateOf(said.DateTimeOriginal), metadata.DateTimeOriginal?.slice(0, 19))
  compare('altitude', altitudeOf(said), ours.altitude ?? undefined)

  const position = positionOf(said)
  const [latitude, longitude] = [Number(ours.latitude), Number(ours.longitude)]
  const near = position && Math.abs(position[0] - latitude) <= DEGREES && Math.abs(position[1] - longitude) <= DEGREES
  if (position ? !(ours.latitude !== null && near) : ours.latitude !== null) {
    compare('position', position?.join(' '), ours.latitude === null ? undefined : `${latitude} ${longitude}`)
  }
  return found
}
