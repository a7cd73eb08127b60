import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { readCreateDate, readDateTimeOriginal } from './date-taken.ts'
import { DRONE_TAGS, DroneBody, readDroneTags } from './drone-tags.ts'
import { PanoramaBody, readPanorama } from './panorama.ts'
import { readAltitude, readPosition } from './position.ts'
import { parseNumber, parsePositiveNumber, parseText, type TagGroups } from './tag-values.ts'

const OptionalText = Type.Optional(Type.String())
const OptionalNumber = Type.Optional(Type.Number())

/** Metadata under the names of the tags; what the file does not have is absent. */
export const MetadataBody = Type.Object({
  Make: OptionalText,
  Model: OptionalText,
  LensModel: OptionalText,
  ExposureTime: Type.Optional(Type.Number({ description: 'Seconds' })),
  FNumber: OptionalNumber,
  ISO: OptionalNumber,
  FocalLength: Type.Optional(Type.Number({ description: 'Millimetres' })),
  ExifImageWidth: Type.Optional(Type.Number({ description: 'Pixels, as the camera wrote them' })),
  ExifImageHeight: Type.Optional(Type.Number({ description: 'Pixels, as the camera wrote them' })),
  DateTimeOriginal: Type.Optional(Type.String({ description: 'ISO 8601, without a zone where none is known' })),
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
  const metadata = readMetadata(tags)
  const position = readPosition(tags)
  return {
    metadata: metadata ?? null,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    altitude: readAltitude(tags) ?? null,
    dateTaken: metadata?.DateTimeOriginal ?? readCreateDate(tags) ?? null,
    aircraft: readAircraft(tags) ?? null,
  }
}

/** From EXIF, and where it has no value from EXIF's tags in XMP. */
function readMetadata(tags: TagGroups): Metadata | undefined {
  const { ifd0 = {}, exif = {}, 'XMP-tiff': tiff = {}, 'XMP-exif': xmp = {}, 'XMP-exifEX': exifEx = {} } = tags
  const drone = readDroneTags(tags)
  return omitEmpty<Metadata>({
    Make: parseText(ifd0.Make) ?? parseText(tiff.Make),
    Model: parseText(ifd0.Model) ?? parseText(tiff.Model),
    LensModel: parseText(exif.LensModel) ?? parseText(exifEx.LensModel),
    ExposureTime: parsePositiveNumber(exif.ExposureTime) ?? parsePositiveNumber(xmp.ExposureTime),
    FNumber: parsePositiveNumber(exif.FNumber) ?? parsePositiveNumber(xmp.FNumber),
    ISO:
      parsePositiveNumber(exif.ISO) ??
      parsePositiveNumber(xmp.ISOSpeedRatings) ??
      parsePositiveNumber(exifEx.PhotographicSensitivity),
    FocalLength: parsePositiveNumber(exif.FocalLength) ?? parsePositiveNumber(xmp.FocalLength),
    ExifImageWidth: parsePositiveNumber(exif.ExifImageWidth) ?? parsePositiveNumber(xmp.PixelXDimension),
    ExifImageHeight: parsePositiveNumber(exif.ExifImageHeight) ?? parsePositiveNumber(xmp.PixelYDimension),
    DateTimeOriginal: readDateTimeOriginal(tags),
    drone: omitEmpty(Object.fromEntries(DRONE_TAGS.map((tag) => [tag, parseNumber(drone[tag])]))),
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
/** What cameras write that have no serial number. */
const UNKNOWN = /^(?:[0\W_]*|unknown|none|default|null|n\/?a)$/i

/**
 * Which aircraft, or else which camera, took the photo: a hash of its maker and its serial number, so that the number itself is
 * stored nowhere. DJI writes that of the aircraft in its XMP; others, Autel and Parrot among them, that of the camera in EXIF.
 */
function readAircraft(tags: TagGroups): string | undefined {
  const serial = readSerial(tags)
  if (serial === undefined) return undefined
  const make = parseText(tags.ifd0?.Make) ?? parseText(tags['XMP-tiff']?.Make) ?? ''
  return createHash('sha256').update(`${make}\n${serial}`).digest('base64url').slice(0, HASH_LENGTH)
}

function readSerial(tags: TagGroups): string | undefined {
  const { ifd0 = {}, exif = {}, 'XMP-exifEX': exifEx = {}, 'XMP-aux': aux = {} } = tags
  const written = [
    readDroneTags(tags).DroneSerialNumber,
    // EXIF's BodySerialNumber, by the name that exifr has for it.
    exif.SerialNumber,
    exifEx.BodySerialNumber,
    aux.SerialNumber,
    // Of a DNG.
    ifd0.CameraSerialNumber,
  ]
  return written.map((value) => parseText(value, MAX_SERIAL)).find((text) => text !== undefined && !UNKNOWN.test(text))
}
