import { withoutZone } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { OpenedLink } from './opened-link.ts'

const OptionalText = Type.Optional(Type.String())
const OptionalNumber = Type.Optional(Type.Number())

const PublicDrone = Type.Object({
  AbsoluteAltitude: Type.Optional(Type.Number({ description: 'Meters above sea level' })),
  RelativeAltitude: Type.Optional(Type.Number({ description: 'Meters above the take-off point' })),
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
  FocalLength: Type.Optional(Type.Number({ description: 'Millimeters' })),
  FocalLengthIn35mmFormat: Type.Optional(
    Type.Number({ description: 'Millimeters, of a 35 mm camera with the same field of view' }),
  ),
  DigitalZoomRatio: OptionalNumber,
  ExifImageWidth: OptionalNumber,
  ExifImageHeight: OptionalNumber,
  DateTimeOriginal: Type.Optional(Type.String({ description: 'ISO 8601, without a zone where none is known' })),
  ModifyDate: Type.Optional(
    Type.String({ description: 'When the file was changed; only where nothing says when the photo was taken' }),
  ),
  heading: Type.Optional(Type.Number({ description: 'Degrees clockwise from true north: where the camera looks' })),
  turned: Type.Optional(
    Type.Boolean({ description: 'The picture was turned upside down after it was taken; the angles are as before' }),
  ),
})

/** Without where the camera looked. */
const PlacelessCamera = Type.Omit(PublicCamera, ['heading', 'turned'])

/** GPano of a spherical panorama: what its viewer needs. */
const PublicPanorama = Type.Object({
  ProjectionType: OptionalText,
  PoseHeadingDegrees: OptionalNumber,
  PosePitchDegrees: OptionalNumber,
  PoseRollDegrees: OptionalNumber,
  InitialViewHeadingDegrees: OptionalNumber,
  InitialViewPitchDegrees: OptionalNumber,
  InitialHorizontalFOVDegrees: OptionalNumber,
  FullPanoWidthPixels: OptionalNumber,
  FullPanoHeightPixels: OptionalNumber,
  CroppedAreaImageWidthPixels: OptionalNumber,
  CroppedAreaImageHeightPixels: OptionalNumber,
  CroppedAreaLeftPixels: OptionalNumber,
  CroppedAreaTopPixels: OptionalNumber,
})

/** The metadata that visitors get. Keys that are not listed here are never sent: no serial numbers, no names. */
export const PublicMetadata = Type.Object({
  ...PublicCamera.properties,
  drone: Type.Optional(PublicDrone),
  panorama: Type.Optional(PublicPanorama),
})

/** The part of a photo's metadata that visitors with the link get; null if there is none. */
export function publicMetadata(
  metadata: unknown,
  { showPlaces, showCamera }: Pick<OpenedLink, 'showPlaces' | 'showCamera'>,
): Static<typeof PublicMetadata> | null {
  const camera = showCamera ? pick(showPlaces ? PublicCamera : PlacelessCamera, metadata) : undefined
  if (camera?.DateTimeOriginal && !showPlaces) camera.DateTimeOriginal = withoutZone(camera.DateTimeOriginal)
  const { drone: readDrone, panorama: readPanorama } = (metadata ?? {}) as { drone?: unknown; panorama?: unknown }
  const drone = showPlaces ? pick(PublicDrone, readDrone) : undefined
  const panorama = pick(PublicPanorama, readPanorama)
  if (!camera && !drone && !panorama) return null
  return { ...camera, ...(drone && { drone }), ...(panorama && { panorama }) }
}

const GroundCamera = Type.Pick(PublicCamera, [
  ...(['Model', 'FocalLength', 'FocalLengthIn35mmFormat', 'DigitalZoomRatio', 'heading', 'turned'] as const),
])
const GroundDrone = Type.Pick(PublicDrone, ['RelativeAltitude', 'GimbalPitchDegree', 'GimbalRollDegree'])

/** What the ground in a picture is computed from, beside its position. */
export const GroundMetadata = Type.Object({ ...GroundCamera.properties, drone: Type.Optional(GroundDrone) })

/** That part of the public metadata; null if there is none. */
export function groundMetadata(metadata: unknown): Static<typeof GroundMetadata> | null {
  const camera = pick(GroundCamera, metadata)
  const drone = pick(GroundDrone, (metadata as { drone?: unknown } | null)?.drone)
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
