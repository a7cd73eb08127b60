import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Folder, Photo } from '../generated/client.ts'
import { MetadataBody } from '../metadata/facts.ts'
import { isPublic } from './visibility.ts'

/** Ids in one request; their JSON fits through the gateway, and so do as many hashes. */
export const MAX_IDS = 500
export const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
export const Ids = Type.Array(Id, { maxItems: MAX_IDS })

/** A photo as its owner gets it. */
export const PhotoBody = Type.Object({
  id: Type.Integer(),
  userId: Type.Integer(),
  folderId: Nullable(Type.Integer()),
  title: Type.String(),
  description: Nullable(Type.String()),
  filename: Type.String({ description: 'Unguessable name under which the original is served' }),
  originalName: Type.String(),
  filesize: Type.Integer({ description: 'Bytes' }),
  isPublic: Type.Boolean({ description: 'The flag that holds: its own, or that of its folder' }),
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
  thumbnailUrl: Nullable(Type.String()),
  previewUrl: Nullable(Type.String()),
  thumbhash: Nullable(Type.String({ description: 'Base64' })),
  width: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  height: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
})

export type PhotoJson = Type.Static<typeof PhotoBody>

function uploadUrl(name: string): string {
  return `/api/uploads/${name}`
}

/** The photo as JSON. `folder` is the one it lies in; a deleted one counts as none, the flag that held stays. */
export function photoJson(photo: Photo, folder: Folder | null): PhotoJson {
  return {
    id: photo.id,
    userId: photo.userId,
    folderId: folder?.deleted ? null : photo.folderId,
    title: photo.title,
    description: photo.description,
    filename: photo.filename,
    originalName: photo.originalName,
    filesize: photo.filesize,
    isPublic: isPublic(photo, folder),
    metadata: photo.metadata as PhotoJson['metadata'],
    latitude: photo.latitude?.toFixed() ?? null,
    longitude: photo.longitude?.toFixed() ?? null,
    altitude: photo.altitude,
    city: photo.city,
    county: photo.county,
    state: photo.state,
    dateTaken: photo.dateTaken,
    createdAt: photo.createdAt.toISOString(),
    status: photo.status as PhotoJson['status'],
    statusMessage: photo.statusMessage,
    url: uploadUrl(photo.filename),
    thumbnailUrl: photo.thumbnail && uploadUrl(photo.thumbnail),
    previewUrl: photo.preview && uploadUrl(photo.preview),
    thumbhash: photo.thumbhash,
    width: photo.width,
    height: photo.height,
  }
}
