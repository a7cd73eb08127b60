import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import type { Photo } from '../generated/client.ts'
import { type DisplayGroups, DisplayGroupsBody } from '../metadata/display-groups.ts'
import { deleteMetadataPhotos, listMetadataPhotos, readMetadataPhoto } from '../photos/metadata-photos.ts'
import { PhotoSchema, toPhotoResponse } from '../photos/photo-response.ts'
import { IdParams, signedIn } from './schemas.ts'

const { properties } = PhotoSchema
const MetadataPhoto = Type.Object({
  id: properties.id,
  filename: properties.filename,
  fileUrl: Type.String({ description: 'Path of the original' }),
  originalName: properties.originalName,
  filesize: properties.filesize,
  latitude: properties.latitude,
  longitude: properties.longitude,
  altitude: properties.altitude,
  city: properties.city,
  county: properties.county,
  state: properties.state,
  dateTaken: properties.dateTaken,
  createdAt: properties.createdAt,
  status: properties.status,
  statusMessage: properties.statusMessage,
  thumbnailUrl: properties.thumbnailUrl,
  width: properties.width,
  height: properties.height,
})

const list = {
  summary: 'Lists the latest photos of the metadata screen, newest first',
  response: { 200: Type.Array(MetadataPhoto), ...errorResponses },
}
const read = {
  summary: 'Returns a photo of the metadata screen with all its tags',
  params: IdParams,
  response: { 200: Type.Object({ ...MetadataPhoto.properties, groups: DisplayGroupsBody }), ...errorResponses },
}
const removeAll = {
  summary: 'Deletes all photos of the metadata screen',
  response: { 200: Type.Object({ deletedCount: Type.Integer() }), ...errorResponses },
}

/** The metadata screen. Its uploads use `POST /api/upload-photo` with `metadata=true`. */
export function metadataScreenRoutes(app: App, { db }: MediaDeps): void {
  app.get('/api/photos/metadata', { ...signedIn, schema: list }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return (await listMetadataPhotos(db, requireUser(request).userId)).map(toMetadataPhoto)
  })

  app.get('/api/photos/metadata/:id', { ...signedIn, schema: read }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    const photo = await readMetadataPhoto(db, requireUser(request).userId, request.params.id)
    return { ...toMetadataPhoto(photo), groups: (photo.tags ?? {}) as DisplayGroups }
  })

  app.delete('/api/photos/metadata', { ...signedIn, schema: removeAll }, async (request) => ({
    deletedCount: await deleteMetadataPhotos(db, requireUser(request).userId),
  }))
}

function toMetadataPhoto(photo: Omit<Photo, 'tags'>): Type.Static<typeof MetadataPhoto> {
  const { url, ...response } = toPhotoResponse({ ...photo, tags: null }, null)
  return { ...response, fileUrl: url }
}
