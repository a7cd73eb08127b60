import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { readDate } from './date-taken.ts'
import {
  CAMERA_SOURCES,
  CHANGE_DATES,
  CREATION_DATES,
  DRONE_SOURCES,
  firstValue,
  HEADING_SOURCES,
  isTurned,
  MAKE_SOURCES,
  ORIGINAL_DATES,
  parseKnownText,
  SERIAL_SOURCES,
  type Source,
  TEXT_SOURCES,
} from './fact-tags.ts'
import { PanoramaBody, readPanorama } from './panorama.ts'
import { readAltitude, readPosition } from './position.ts'
import { parseNumber, parsePositiveNumber, parseText, type TagGroups } from './tag-values.ts'

const OptionalText = Type.Optional(Type.String())
const OptionalNumber = Type.Optional(Type.Number())
const Measured = (description: string) => Type.Optional(Type.Number({ description }))
const Degrees = Measured('Degrees')
const Speed = Measured('Meters a second')
const Deviation = Measured('Standard deviation, as the drone wrote it')

/** Flight data that a drone wrote, under DJI's tag names. */
const DroneBody = Type.Object({
  AbsoluteAltitude: Measured('Meters above sea level'),
  RelativeAltitude: Measured('Meters above the take-off point'),
  GimbalRollDegree: Degrees,
  GimbalYawDegree: Degrees,
  GimbalPitchDegree: Degrees,
  FlightRollDegree: Degrees,
  FlightYawDegree: Degrees,
  FlightPitchDegree: Degrees,
  FlightXSpeed: Speed,
  FlightYSpeed: Speed,
  FlightZSpeed: Speed,
  RtkFlag: Measured('DJI: 0 none, 16 single, 34 float, 50 fixed'),
  RtkStdLat: Deviation,
  RtkStdLon: Deviation,
  RtkStdHgt: Deviation,
})

/** Metadata under the names of the tags; what the file does not have is absent. */
export const MetadataBody = Type.Object({
  Make: OptionalText,
  Model: OptionalText,
  LensModel: OptionalText,
  ExposureTime: Measured('Seconds'),
  FNumber: OptionalNumber,
  ISO: OptionalNumber,
  FocalLength: Measured('Millimeters'),
  FocalLengthIn35mmFormat: Measured('Millimeters, of a 35 mm camera with the same field of view'),
  DigitalZoomRatio: OptionalNumber,
  ExifImageWidth: Measured('Pixels, as the camera wrote them'),
  ExifImageHeight: Measured('Pixels, as the camera wrote them'),
  DateTimeOriginal: Type.Optional(Type.String({ description: 'ISO 8601, without a zone where none is known' })),
  ModifyDate: Type.Optional(
    Type.String({
      description: 'When the file was changed, as ISO 8601; only where nothing says when the photo was taken',
    }),
  ),
  heading: Measured("Degrees clockwise from true north: the camera's, or else the aircraft's"),
  turned: Type.Optional(
    Type.Boolean({
      description:
        'The picture was turned upside down after it was taken: it shows the ground the other way round than the angles of the drone say',
    }),
  ),
  drone: Type.Optional(DroneBody),
  panorama: Type.Optional(PanoramaBody),
})
export type Metadata = Type.Static<typeof MetadataBody>

/** What the metadata of a file says about the photo. */
export interface PhotoFacts {
  metadata: Metadata | null
  latitude: string | null
  longitude: string | null
  altitude: number | null
  dateTaken: string | null
  /** A hash of the serial number: see `readAircraft`. */
  aircraft: string | null
}

/** The facts in the tags of a file; all null without tags. */
export function readFacts(tags: TagGroups): PhotoFacts {
  const original = readDate(tags, ORIGINAL_DATES)
  const created = original ?? readDate(tags, CREATION_DATES)
  const changed = created === undefined ? readDate(tags, CHANGE_DATES) : undefined
  const metadata = readMetadata(tags, { DateTimeOriginal: original, ModifyDate: changed })
  const position = readPosition(tags)
  return {
    metadata: metadata ?? null,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    altitude: readAltitude(tags) ?? null,
    dateTaken: created ?? changed ?? null,
    aircraft: readAircraft(tags) ?? null,
  }
}

type Parse<T> = (value: unknown) => T | undefined

/** The first value of each of several facts. */
function readAll<K extends string, T>(tags: TagGroups, sources: Record<K, Source[]>, parse: Parse<T>) {
  const keys = Object.keys(sources) as K[]
  return Object.fromEntries(keys.map((key) => [key, firstValue(tags, sources[key], parse)])) as Record<K, T | undefined>
}

type Dates = Record<'DateTimeOriginal' | 'ModifyDate', string | undefined>

function readMetadata(tags: TagGroups, dates: Dates): Metadata | undefined {
  const drone = omitEmpty(readAll(tags, DRONE_SOURCES, parseNumber))
  return omitEmpty<Metadata>({
    Make: firstValue(tags, MAKE_SOURCES, parseKnownText),
    ...readAll(tags, TEXT_SOURCES, parseText),
    ...readAll(tags, CAMERA_SOURCES, parsePositiveNumber),
    ...dates,
    heading: firstValue(tags, HEADING_SOURCES, parseNumber),
    turned: (drone?.GimbalPitchDegree !== undefined && isTurned(tags)) || undefined,
    drone,
    panorama: readPanorama(tags),
  })
}

/** Removes keys without a value; undefined when none remains. */
function omitEmpty<T extends object>(all: T): T | undefined {
  const entries = Object.entries(all).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}

/** 132 bits of a hash, in base64. */
const HASH_LENGTH = 22
const MAX_SERIAL = 100

/**
 * Which aircraft, or else which camera, took the photo: a hash of its maker and its serial number, so that the number itself is
 * stored nowhere.
 */
function readAircraft(tags: TagGroups): string | undefined {
  const serial = firstValue(tags, SERIAL_SOURCES, (value) => parseKnownText(value, MAX_SERIAL))
  if (serial === undefined) return undefined
  const make = firstValue(tags, MAKE_SOURCES, parseKnownText) ?? ''
  return createHash('sha256').update(`${make}\n${serial}`).digest('base64url').slice(0, HASH_LENGTH)
}
