import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type App, acceptsGzip, errorResponses } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { MAP_MAX_ZOOM } from '../base-map/map-file.ts'
import type { MediaDeps } from '../deps.ts'

const LARGEST = 2 ** MAP_MAX_ZOOM - 1
const unzip = promisify(gunzip)
const IMMUTABLE = 'public, max-age=31536000, immutable'

const tile = {
  summary: 'Sends a tile of the base map',
  description:
    'A vector tile (MVT 2) of land, borders and names, in Web Mercator; 204 where there is only sea. The path is in `map.base` of `/api/config`',
  params: Type.Object({
    version: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Changes with the content' }),
    z: Type.Integer({ minimum: 0, maximum: MAP_MAX_ZOOM }),
    x: Type.Integer({ minimum: 0, maximum: LARGEST }),
    y: Type.Integer({ minimum: 0, maximum: LARGEST }),
  }),
  response: errorResponses,
}

/** The map under the photos, the same for everybody. */
export function baseMapRoutes(app: App, { baseMap }: MediaDeps): void {
  const config = { access: 'public', quiet: true } as const
  app.get('/api/map/base/:version/:z/:x/:y', { config, schema: tile }, async (request, reply) => {
    const { version, z, x, y } = request.params
    const bytes = await baseMap.tile(z, x, y)
    // Between two releases pages may know the version of the other one: the tile will do, but not for the next page.
    reply.header('cache-control', version === (await baseMap.version()) ? IMMUTABLE : 'no-store')
    return sendTile(request, reply, bytes)
  })
}

async function sendTile(request: FastifyRequest, reply: FastifyReply, bytes: Buffer | null): Promise<FastifyReply> {
  if (!bytes) return reply.code(204).send()
  reply.headers({ 'content-type': 'application/vnd.mapbox-vector-tile', vary: 'accept-encoding' })
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(await unzip(bytes))
  return reply.header('content-encoding', 'gzip').send(bytes)
}
