import { type App, errorResponses, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import type { Photo } from '../generated/client.ts'
import { type DisplayGroups, DisplayGroupsBody } from '../metadata/display-groups.ts'
import { Id, PhotoBody, photoJson } from '../photos/photo.ts'
import { deleteMetadataPhotos, listMetadataPhotos, readMetadataPhoto } from '../uploads/metadata-photos.ts'

const access = { config: { access: 'user' } } as const
const { properties } = PhotoBody

const MetadataPhoto = Type.Object({
  id: properties.id,
  filename: properties.filename,
  fileUrl: Type.String({ description: 'Where the original is served' }),
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

function itemOf(photo: Omit<Photo, 'tags'>): Type.Static<typeof MetadataPhoto> {
  const { url, ...json } = photoJson({ ...photo, tags: null }, null)
  return { ...json, fileUrl: url }
}

/** The metadata screen. Its uploads come by `POST /api/upload-photo` with `metadata=true`. */
export function metadataRoutes(app: App, { db }: MediaDeps): void {
  app.get(
    '/api/photos/metadata',
    {
      ...access,
      schema: {
        description: 'The last photos of the metadata screen, the newest first',
        response: { 200: Type.Array(MetadataPhoto), ...errorResponses },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-store')
      return (await listMetadataPhotos(db, requireUser(request).userId)).map(itemOf)
    },
  )

  app.get(
    '/api/photos/metadata/:id',
    {
      ...access,
      schema: {
        description: 'One of them with all that was read from it',
        params: Type.Object({ id: Id }),
        response: { 200: Type.Object({ ...MetadataPhoto.properties, groups: DisplayGroupsBody }), ...errorResponses },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-store')
      const photo = await readMetadataPhoto(db, requireUser(request).userId, request.params.id)
      return { ...itemOf(photo), groups: (photo.tags ?? {}) as DisplayGroups }
    },
  )

  app.delete(
    '/api/photos/metadata',
    {
      ...access,
      schema: {
        description: 'Deletes all photos of the metadata screen',
        response: { 200: Type.Object({ deletedCount: Type.Integer() }), ...errorResponses },
      },
    },
    async (request) => ({ deletedCount: await deleteMetadataPhotos(db, requireUser(request).userId) }),
  )
}
