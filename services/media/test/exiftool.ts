import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Format, UPLOAD_FORMATS } from '@skyfolio/proto'
import { bufferSource } from '../src/formats/byte-source.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { DRONE_SOURCES } from '../src/metadata/fact-tags.ts'
import { type PhotoFacts, readFacts } from '../src/metadata/facts.ts'
import type { FileMetadata, MetadataReader } from '../src/metadata/metadata-reader.ts'

const DRONE_TAGS = Object.keys(DRONE_SOURCES) as (keyof typeof DRONE_SOURCES)[]

/** The output of `exiftool -n -json` for one file, by the names of ExifTool. */
export type ExifToolTags = Record<string, unknown>

const NUMBERS = ['ExposureTime', 'FNumber', 'ISO', 'FocalLength', 'ExifImageWidth', 'ExifImageHeight'] as const
const DEGREE_TOLERANCE = 1e-6
const DIGITS = 10

/** A number in the form of both: ExifTool prints fractions with ten significant digits, and `undef` for a zero denominator. */
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

/** Date and time without fractions of a second and zone; undefined for a date that does not exist. */
function dateOf(value: unknown): string | undefined {
  const [, year, month, day, time] = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d:\d\d(?::\d\d)?)/.exec(String(value)) ?? []
  const local = `${year}-${month}-${day}T${time?.padEnd(8, ':00')}`
  const parsed = new Date(`${local}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(local) ? local : undefined
}

/** The position in ExifTool's output; undefined for 0, 0 and outside the globe. */
function positionOf(tags: ExifToolTags): [number, number] | undefined {
  const latitude = numberOf(tags.GPSLatitude)
  const longitude = numberOf(tags.GPSLongitude) ?? numberOf(tags.GPSLongtitude)
  if (latitude === undefined || longitude === undefined) return undefined
  if ((latitude === 0 && longitude === 0) || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined
  return [latitude, longitude]
}

/** The altitude in ExifTool's output, from EXIF or the drone; undefined for 0 without a position. */
function altitudeOf(tags: ExifToolTags): number | undefined {
  const altitudes = [numberOf(tags.GPSAltitude), numberOf(tags.AbsoluteAltitude)]
  return altitudes.find((altitude) => altitude !== undefined && (altitude !== 0 || positionOf(tags) !== undefined))
}

function aboveZero(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}

/**
 * The differences between our metadata of a file and ExifTool's, one line per tag. METADATA.md lists where the two
 * differ by design.
 */
export function findDifferences(exifTool: ExifToolTags, ours: PhotoFacts): string[] {
  const found: string[] = []
  function compare(tag: string, theirs: unknown, mine: unknown): void {
    if (theirs !== mine) found.push(`${tag}: ExifTool ${theirs ?? 'none'}, here ${mine ?? 'none'}`)
  }

  const metadata = ours.metadata ?? {}
  for (const tag of ['Make', 'Model', 'LensModel'] as const) compare(tag, textOf(exifTool[tag]), metadata[tag])
  for (const tag of NUMBERS)
    if (tag in exifTool || !tag.startsWith('ExifImage')) compare(tag, aboveZero(numberOf(exifTool[tag])), metadata[tag])
  for (const tag of DRONE_TAGS) compare(tag, numberOf(exifTool[tag]), metadata.drone?.[tag])
  compare('DateTimeOriginal', dateOf(exifTool.DateTimeOriginal), metadata.DateTimeOriginal?.slice(0, 19))
  compare('altitude', altitudeOf(exifTool), ours.altitude ?? undefined)

  const position = positionOf(exifTool)
  const [latitude, longitude] = [Number(ours.latitude), Number(ours.longitude)]
  const near =
    position &&
    Math.abs(position[0] - latitude) <= DEGREE_TOLERANCE &&
    Math.abs(position[1] - longitude) <= DEGREE_TOLERANCE
  if (position ? !(ours.latitude !== null && near) : ours.latitude !== null) {
    compare('position', position?.join(' '), ours.latitude === null ? undefined : `${latitude} ${longitude}`)
  }
  return found
}

/** The format of a file by its name; null for one that is not accepted. */
function formatOfFile(name: string): Format | null {
  const extension = (extname(name) || name).toLowerCase()
  const formats = Object.keys(UPLOAD_FORMATS) as Format[]
  return formats.find((format) => UPLOAD_FORMATS[format].extensions.includes(extension)) ?? null
}

/** Reads the metadata of a local file as the worker reads that of an original. */
export async function readFileMetadata(reader: MetadataReader, path: string): Promise<FileMetadata> {
  const format = formatOfFile(path)
  const tags = format && (await extractTags(bufferSource(await readFile(path)), format))
  return tags ? reader.read(tags, true) : { facts: readFacts({}), groups: {} }
}
