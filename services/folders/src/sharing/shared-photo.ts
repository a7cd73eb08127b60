import { Nullable, notFound, type PublicNames } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { type PhotoRow, PublicPhoto, pictureUrls, publicPhoto, RAW_FILE } from './public-photo.ts'
import { SHARE_CODE } from './share-pages.ts'

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
})

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
const PublicMetadata = Type.Object({
  ...PublicCamera.properties,
  drone: Type.Optional(PublicDrone),
  panorama: Type.Optional(PublicPanorama),
})

/** The public part of a photo's metadata; null if there is none. */
function publicMetadata(metadata: unknown): Static<typeof PublicMetadata> | null {
  const camera = pick(PublicCamera, metadata)
  const { drone: readDrone, panorama: readPanorama } = (metadata ?? {}) as { drone?: unknown; panorama?: unknown }
  const drone = pick(PublicDrone, readDrone)
  const panorama = pick(PublicPanorama, readPanorama)
  if (!camera && !drone && !panorama) return null
  return { ...camera, ...(drone && { drone }), ...(panorama && { panorama }) }
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

/** One photo of a share, with the metadata that lists omit. */
export const SharedPhoto = Type.Object({
  ...PublicPhoto.properties,
  metadata: Nullable(PublicMetadata),
})

const PHOTO = `
SELECT photo.*, photos.metadata, ${RAW_FILE}
FROM folders JOIN photos_with_visibility AS photo ON photo.folder_id = folders.id AND visible
JOIN photos ON photos.id = photo.id
WHERE folders.share_code = $1 AND folders.is_public AND NOT folders.owner_suspended AND photo.id = $2`

/** A photo that visitors of this share see at this moment, and the revision of its link. Throws 404. */
export async function readSharedPhoto(
  { pool, publicNames }: { pool: Pool; publicNames: PublicNames },
  shareCode: string,
  id: number,
): Promise<{ photo: Static<typeof SharedPhoto>; folderId: number; linkRevision: number }> {
  if (!SHARE_CODE.test(shareCode)) throw notFound('Photo not found')
  const { rows } = await pool.query<PhotoRow & { metadata: unknown }>({
    name: 'shared-photo',
    text: PHOTO,
    values: [shareCode, id],
  })
  const [row] = rows
  if (!row) throw notFound('Photo not found')
  const { folder_id: folderId, link_revision: linkRevision } = row
  const photo = publicPhoto(row, pictureUrls(row, publicNames))
  return { photo: { ...photo, metadata: publicMetadata(row.metadata) }, folderId, linkRevision }
}
