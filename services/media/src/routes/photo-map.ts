import { createHash } from 'node:crypto'
import { type App, badRequest, errorResponses, matchesEntityTag, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/gallery-query.ts'
import type { UserLimit } from '../limits.ts'
import { MapExtent, readExtent } from '../photo-map/map-extent.ts'
import { MAX_ZOOM, MapPoint, readTile } from '../photo-map/map-tile.ts'
import { signedIn } from './schemas.ts'

const Place = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description })
const tile = {
  summary: 'Returns the photos of a list on a tile of the map, those that are close together as one point',
  description: `Tiles are those of Web Mercator, with 512 CSS pixels on a side. A point stands for the photos of a list in one of the
8 × 8 cells of a tile. A tile that has not changed is 304 by its entity tag.`,
  params: Type.Object({
    z: Place(MAX_ZOOM, 'Zoom: the map has 2^z tiles in each direction'),
    x: Place(2 ** MAX_ZOOM - 1, 'From the date line to the east'),
    y: Place(2 ** MAX_ZOOM - 1, 'From the north'),
  }),
  querystring: GalleryFilterQuery,
  response: {
    200: Type.Object({ points: Type.Array(MapPoint) }),
    304: Type.Null({ description: 'The tile that the client has is current' }),
    ...errorResponses,
  },
}
const extent = {
  summary: 'Returns the part of the map that shows all photos of a list',
  querystring: GalleryFilterQuery,
  response: { 200: MapExtent, ...errorResponses },
}

/** Where own photos are on the map. */
export function photoMapRoutes(app: App, deps: MediaDeps, reads: UserLimit): void {
  const { db } = deps
  const limited = { ...signedIn, ...reads }

  app.get('/api/photos/map/:z/:x/:y', { ...limited, schema: tile }, async (request, reply) => {
    const { z, x, y } = request.params
    if (Math.max(x, y) >= 2 ** z) throw badRequest('The map has no such tile.')
    const query = await readGalleryQuery(deps, requireUser(request).userId, request.query)
    const body = { points: await readTile(db, query, { z, x, y }) }
    const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`
    reply.header('etag', etag).header('cache-control', 'private, no-cache')
    // A JSON null would be a body, which a 304 must not announce.
    if (matchesEntityTag(request.headers['if-none-match'], etag))
      return reply
        .code(304)
        .serializer(() => '')
        .send(null)
    return body
  })

  app.get('/api/photos/map/extent', { ...limited, schema: extent }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return readExtent(db, await readGalleryQuery(deps, requireUser(request).userId, request.query))
  })
}
