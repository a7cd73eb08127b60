import { Type } from 'typebox'
import { readAltitude, readPosition } from './position.ts'
import { date, number, type TagGroups, text } from './values.ts'

const OptionalText = Type.Optional(Type.String())
const OptionalNumber = Type.Optional(Type.Number())

/** The camera's words under the names of their tags. What the camera did not write is absent. */
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
  DateTimeOriginal: Type.Optional(Type.String({ description: 'ISO 8601, without a zone where the camera wrote none' })),
  drone: Type.Optional(
    Type.Object(
      {
        AbsoluteAltitude: Type.Optional(Type.Number({ description: 'Metres above sea level' })),
        RelativeAltitude: Type.Optional(Type.Number({ description: 'Metres above the take-off point' })),
        GimbalRollDegree: OptionalNumber,
        GimbalYawDegree: OptionalNumber,
        GimbalPitchDegree: OptionalNumber,
        FlightRollDegree: OptionalNumber,
        FlightYawDegree: OptionalNumber,
        FlightPitchDegree: OptionalNumber,
      },
      { description: 'What the drone wrote about its flight' },
    ),
  ),
})
export type Metadata = Type.Static<typeof MetadataBody>

/** What a file says about the photo. */
export interface PhotoFacts {
  metadata: Metadata | null
  latitude: string | null
  longitude: string | null
  altitude: number | null
  dateTaken: string | null
}

const DRONE_TAGS = [
  'AbsoluteAltitude',
  'RelativeAltitude',
  'GimbalRollDegree',
  'GimbalYawDegree',
  'GimbalPitchDegree',
  'FlightRollDegree',
  'FlightYawDegree',
  'FlightPitchDegree',
] as const

/** Without the keys that have no value; undefined when none is left. */
function present<T extends object>(all: T): T | undefined {
  const entries = Object.entries(all).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}

/** The facts in the tags of a file; an empty object of tags gives facts that are all null. */
export function factsOf(tags: TagGroups): PhotoFacts {
  const { ifd0 = {}, exif = {}, 'drone-dji': dji = {} } = tags
  const original = date(exif.DateTimeOriginal, exif.OffsetTimeOriginal)
  const metadata = present<Metadata>({
    Make: text(ifd0.Make),
    Model: text(ifd0.Model),
    LensModel: text(exif.LensModel),
    ExposureTime: number(exif.ExposureTime),
    FNumber: number(exif.FNumber),
    ISO: number(exif.ISO),
    FocalLength: number(exif.FocalLength),
    ExifImageWidth: number(exif.ExifImageWidth),
    ExifImageHeight: number(exif.ExifImageHeight),
    DateTimeOriginal: original,
    drone: present(Object.fromEntries(DRONE_TAGS.map((tag) => [tag, number(dji[tag])]))),
  })
  const position = readPosition(tags)
  return {
    metadata: metadata ?? null,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    altitude: readAltitude(tags) ?? null,
    dateTaken: original ?? date(exif.CreateDate, exif.OffsetTimeDigitized) ?? null,
  }
}
