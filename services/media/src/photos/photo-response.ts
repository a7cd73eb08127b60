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
  altitude: Nullable(Type.Number({ description: 'Metres above sea level' })),
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
})

export type PhotoResponse = Type.Static<typeof PhotoSchema>

/** Converts photos to responses, each with its effective visibility in its folder. */
export async function toPhotoResponses(db: Database, photos: Photo[]): Promise<PhotoResponse[]> {
  const folders = await loadFoldersOf(db, photos)
  return photos.map((photo) => toPhotoResponse(photo, folders.get(photo.folderId ?? 0) ?? null))
}

/** Converts one photo. A deleted `folder` is reported as none, but its last flag still applies. */
export function toPhotoResponse(photo: Photo, folder: Folder | null): PhotoResponse {
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
  }
}

export function uploadUrl(name: string): string {
  return `/api/uploads/${name}`
}
