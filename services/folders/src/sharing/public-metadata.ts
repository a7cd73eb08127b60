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

/** All that strangers learn of a photo's metadata. A key that is not listed here is never sent: no serial numbers, no names. */
export const PublicMetadata = Type.Object({ ...PublicCamera.properties, drone: Type.Optional(PublicDrone) })

/** Of an object the values of these keys that are what they should be: texts or numbers. */
function listed<T extends Type.TObject>(schema: T, value: unknown): Static<T> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found = Object.entries(schema.properties).flatMap(([key, { type }]: [string, { type?: string }]) => {
    const one: unknown = (value as Record<string, unknown>)[key]
    return typeof one === type ? [[key, one]] : []
  })
  return found.length > 0 ? (Object.fromEntries(found) as Static<T>) : undefined
}

/** The public part of what media read from a photo; null when it read nothing. */
export function publicMetadata(metadata: unknown): Static<typeof PublicMetadata> | null {
  const camera = listed(PublicCamera, metadata)
  const drone = listed(PublicDrone, (metadata as { drone?: unknown } | null)?.drone)
  return camera || drone ? { ...camera, ...(drone && { drone }) } : null
}
