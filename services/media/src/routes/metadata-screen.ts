import { type App, errorResponses, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import { type DisplayGroups, DisplayGroupsBody } from '../metadata/display-groups.ts'
import { deleteSome } from '../photos/delete-photos.ts'
import { PhotoSchema, toPhotoResponse } from '../photos/photo-response.ts'
import { IdParams, signedIn } from './schemas.ts'

/** The screen shows recent photos only. */
const MAX_LISTED = 500
const DELETED_AT_ONCE = 200

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

/**
 * The metadata screen. Its photos are private, in no gallery, folder or share, and without events. Uploads use
 * `POST /api/upload-photo` with `metadata=true`.
 */
export function metadataScreenRoutes(app: App, { db }: MediaDeps): void {
  app.get('/api/photos/metadata', { ...signedIn, schema: list }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    const photos = await db.photo.findMany({
      where: { userId: requireUser(request).userId, purpose: 'metadata' },
      omit: { tags: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: MAX_LISTED,
    })
    return photos.map(toMetadataPhoto)
  })

  app.get('/api/photos/metadata/:id', { ...signedIn, schema: read }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    const { userId } = requireUser(request)
    const photo = await db.photo.findFirst({ where: { id: request.params.id, userId, purpose: 'metadata' } })
    if (!photo) throw notFound('Photo not found')
    return { ...toMetadataPhoto(photo), groups: (photo.tags ?? {}) as DisplayGroups }
  })

  app.delete('/api/photos/metadata', { ...signedIn, schema: removeAll }, async (request) => {
    const own = Prisma.sql`user_id = ${requireUser(request).userId} AND purpose = 'metadata'`
    let deletedCount = 0
    for (let batch = DELETED_AT_ONCE; batch === DELETED_AT_ONCE; deletedCount += batch) {
      batch = await deleteSome(db, own, DELETED_AT_ONCE)
    }
    return { deletedCount }
  })
}

function toMetadataPhoto(photo: Omit<Photo, 'tags'>): Type.Static<typeof MetadataPhoto> {
  const { url, ...response } = toPhotoResponse({ ...photo, tags: null }, null)
  return { ...response, fileUrl: url }
}
