import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import {
  type App,
  acceptsGzip,
  badRequest,
  contentVersion,
  errorResponses,
  matchesEntityTag,
  requireUser,
} from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { MAX_TILE_ZOOM, type MapTile } from '../base-map/base-map.ts'
import type { MediaDeps } from '../deps.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/filter.ts'
import type { UserLimit } from '../limits.ts'
import { MapExtent, readExtent } from '../photo-map/map-extent.ts'
import { MAX_ZOOM, MapPoint, readTile } from '../photo-map/map-tile.ts'
import { findPlacedBefore, PlacedBefore } from '../photo-map/placed-before.ts'
import { Ids, signedIn } from './schemas.ts'

const LARGEST = 2 ** MAX_TILE_ZOOM - 1
const unzip = promisify(gunzip)
const IMMUTABLE = 'public, max-age=31536000, immutable'

const baseTile = {
  summary: 'Sends a tile of the base map',
  description:
    'A vector tile (MVT 2) in the layers of the Protomaps basemap, in Web Mercator; 204 where there is none. The path is in `map.base` of `/api/config`',
  params: Type.Object({
    version: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Changes with the content' }),
    z: Type.Integer({ minimum: 0, maximum: MAX_TILE_ZOOM }),
    x: Type.Integer({ minimum: 0, maximum: LARGEST }),
    y: Type.Integer({ minimum: 0, maximum: LARGEST }),
  }),
  response: errorResponses,
}

/** The map under the photos, the same for everybody. */
export function baseMapRoutes(app: App, { baseMap }: MediaDeps): void {
  const config = { access: 'public', quiet: true } as const
  app.get('/api/map/base/:version/:z/:x/:y', { config, schema: baseTile }, async (request, reply) => {
    const { version, z, x, y } = request.params
    const tile = await baseMap.tile(z, x, y)
    // Between two releases pages may know the version of the other one: the tile will do, but not for the next page.
    reply.header('cache-control', version === (await baseMap.version()) ? IMMUTABLE : 'no-store')
    return sendTile(request, reply, tile)
  })
}

async function sendTile(request: FastifyRequest, reply: FastifyReply, tile: MapTile | null): Promise<FastifyReply> {
  if (!tile) return reply.code(204).send()
  reply.headers({ 'content-type': 'application/vnd.mapbox-vector-tile', vary: 'accept-encoding' })
  if (!tile.isGzip) return reply.send(tile.bytes)
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(await unzip(tile.bytes))
  return reply.header('content-encoding', 'gzip').send(tile.bytes)
}

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
const placedBefore = {
  summary: 'Finds for own photos those with a position that were taken up to ten minutes before them',
  description: 'By the clocks of the cameras. Photos without such a one are absent.',
  body: Type.Object({ ids: Ids }),
  response: { 200: Type.Array(PlacedBefore), ...errorResponses },
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
    const etag = `"${contentVersion(JSON.stringify(body))}"`
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

  app.post('/api/photos/placed-before', { ...limited, schema: placedBefore }, (request) =>
    findPlacedBefore(db, requireUser(request).userId, request.body.ids),
  )
}
