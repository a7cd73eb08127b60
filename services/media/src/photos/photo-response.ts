import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import type { Folder, Photo } from '../generated/client.ts'
import { MetadataBody } from '../metadata/facts.ts'
import { projectionOf } from '../metadata/panorama.ts'
import { loadFoldersOf } from '../projection/folders.ts'
import { isPublic } from './visibility.ts'

/** A photo as the API returns it to its owner. */
export const PhotoSchema = Type.Object({
  id: Type.Integer(),
  userId: Type.Integer(),
  folderId: Nullable(Type.Integer()),
  title: Type.String(),
  description: Nullable(Type.String()),
  filename: Type.String({ description: 'Unguessable name under which the original is served' }),
  originalName: Type.String(),
  filesize: Type.Integer({ description: 'Bytes' }),
  isPublic: Type.Boolean({ description: 'The effective visibility: its own setting, or that of its folder' }),
  metadata: Nullable(MetadataBody),
  latitude: Nullable(Type.String({ description: 'Decimal degrees' })),
  longitude: Nullable(Type.String({ description: 'Decimal degrees' })),
  altitude: Nullable(Type.Number({ description: 'Meters above sea level' })),
  city: Nullable(Type.String()),
  county: Nullable(Type.String()),
  state: Nullable(Type.String()),
  dateTaken: Nullable(Type.String({ description: 'ISO 8601, without a zone where the camera wrote none' })),
  createdAt: Type.String({ format: 'date-time' }),
  status: Type.Union([Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')]),
  statusMessage: Nullable(Type.String()),
  url: Type.String(),
  smallUrl: Nullable(Type.String({ description: '320 pixels wide' })),
  thumbnailUrl: Nullable(Type.String({ description: '640 pixels wide' })),
  mediumUrl: Nullable(Type.String({ description: '1,280 pixels wide' })),
  previewUrl: Nullable(Type.String({ description: '2,048 pixels' })),
  thumbhash: Nullable(Type.String({ description: 'Base64' })),
  width: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  height: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  projection: Nullable(Type.Enum(['sphere', 'wide'], { description: 'Of a panorama: how it is looked at' })),
  pairedWith: Nullable(
    Type.Integer({ description: 'The other file of the same shot: a JPEG and its raw file are one photo, the JPEG' }),
  ),
  raw: Nullable(
    Type.Object(
      {
        id: Type.Integer(),
        filename: Type.String(),
        filesize: Type.Integer({ description: 'Bytes' }),
        width: Nullable(Type.Integer()),
        height: Nullable(Type.Integer()),
      },
      { description: 'The raw file, of a JPEG that stands for a pair' },
    ),
  ),
})

export type PhotoResponse = Type.Static<typeof PhotoSchema>

type RawFile = NonNullable<PhotoResponse['raw']>

/** Converts photos to responses, each with its effective visibility in its folder, and of a pair with its raw file. */
export async function toPhotoResponses(db: Database, photos: Photo[]): Promise<PhotoResponse[]> {
  const [folders, rawFiles] = await Promise.all([loadFoldersOf(db, photos), loadRawFilesOf(db, photos)])
  return photos.map((photo) => {
    const folder = folders.get(photo.folderId ?? 0) ?? null
    return toPhotoResponse(photo, folder, rawFiles.get(photo.pairedWith ?? 0))
  })
}

async function loadRawFilesOf(db: Database, photos: Photo[]): Promise<Map<number, RawFile>> {
  const ids = photos.flatMap(({ pairedWith }) => pairedWith ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db.photo.findMany({
    where: { id: { in: ids }, purpose: 'raw' },
    select: { id: true, filename: true, filesize: true, width: true, height: true },
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Converts one photo. A deleted `folder` is reported as none, but its last flag still applies. */
export function toPhotoResponse(photo: Photo, folder: Folder | null, raw: RawFile | null = null): PhotoResponse {
  const { id, userId, title, description, filename, originalName, filesize, altitude, city, county, state } = photo
  const { dateTaken, statusMessage, small, thumbnail, medium, preview, thumbhash, width, height } = photo
  // In the order of the schema, also where the list is streamed.
  return {
    ...{ id, userId, folderId: folder?.deleted ? null : photo.folderId },
    ...{ title, description, filename, originalName, filesize },
    isPublic: isPublic(photo, folder),
    metadata: photo.metadata as PhotoResponse['metadata'],
    latitude: photo.latitude?.toFixed() ?? null,
    longitude: photo.longitude?.toFixed() ?? null,
    ...{ altitude, city, county, state, dateTaken },
    createdAt: photo.createdAt.toISOString(),
    status: photo.status as PhotoResponse['status'],
    statusMessage,
    url: uploadUrl(filename),
    smallUrl: small && uploadUrl(small),
    thumbnailUrl: thumbnail && uploadUrl(thumbnail),
    mediumUrl: medium && uploadUrl(medium),
    previewUrl: preview && uploadUrl(preview),
    ...{ thumbhash, width, height },
    projection: projectionOf(photo),
    pairedWith: photo.pairedWith,
    raw,
  }
}

export function uploadUrl(name: string): string {
  return `/api/uploads/${name}`
}
