import { type Static, Type } from 'typebox'

const OptionalText = Type.Optional(Type.String())
const OptionalNumber = Type.Optional(Type.Number())

const PublicDrone = Type.Object({
  AbsoluteAltitude: Type.Optional(Type.Number({ description: 'Metres above sea level' })),
  RelativeAltitude: Type.Optional(Type.Number({ description: 'Metres above the take-off point' })),
  GimbalRollDegree: OptionalNumber,
  GimbalYawDegree: OptionalNumber,
  GimbalPitchDegree: OptionalNumber,
  FlightRollDegree: OptionalNumber,
  FlightYawDegree: OptionalNumber,
  FlightPitchDegree: OptionalNumber,
  FlightXSpeed: OptionalNumber,
  FlightYSpeed: OptionalNumber,
  FlightZSpeed: OptionalNumber,
  RtkFlag: OptionalNumber,
  RtkStdLat: OptionalNumber,
  RtkStdLon: OptionalNumber,
  RtkStdHgt: OptionalNumber,
})
const PublicCamera = Type.Object({
  Make: OptionalText,
  Model: OptionalText,
  LensModel: OptionalText,
  ExposureTime: Type.Optional(Type.Number({ description: 'Seconds' })),
  FNumber: OptionalNumber,
  ISO: OptionalNumber,
  FocalLength: Type.Optional(Type.Number({ description: 'Millimetres' })),
  ExifImageWidth: OptionalNumber,
  ExifImageHeight: OptionalNumber,
  DateTimeOriginal: Type.Optional(Type.String({ description: 'ISO 8601, without a zone where none is known' })),
})

/** The metadata that visitors get. Keys that are not listed here are never sent: no serial numbers, no names. */
export const PublicMetadata = Type.Object({ ...PublicCamera.properties, drone: Type.Optional(PublicDrone) })

/** The public part of a photo's metadata; null if there is none. */
export function publicMetadata(metadata: unknown): Static<typeof PublicMetadata> | null {
  const camera = pick(PublicCamera, metadata)
  const drone = pick(PublicDrone, (metadata as { drone?: unknown } | null)?.drone)
  return camera || drone ? { ...camera, ...(drone && { drone }) } : null
}

/** The values of an object whose key is in the schema and whose type matches it. */
function pick<T extends Type.TObject>(schema: T, value: unknown): Static<T> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Object.entries(schema.properties).flatMap(([key, { type }]: [string, { type?: string }]) => {
    const found: unknown = (value as Record<string, unknown>)[key]
    return typeof found === type ? [[key, found]] : []
  })
  return entries.length > 0 ? (Object.fromEntries(entries) as Static<T>) : undefined
}
