import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type App, acceptsGzip, ErrorBody, matchesEntityTag } from '@skyfolio/kit'
import { Type } from 'typebox'

/** The document as it is sent. */
interface PublicApi {
  json: Buffer
  gzip: Buffer
  version: string
}

const FILE = new URL('../generated/public-api.json', import.meta.url)

const schema = {
  summary: 'Returns this document',
  response: {
    200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: Type.Object({}) } } },
    304: Type.Null(),
    '4xx': ErrorBody,
  },
}

/** Reads what `npm run generate` has merged from the documents of all services. */
async function readPublicApi(): Promise<PublicApi> {
  const json = Buffer.from(JSON.stringify(JSON.parse(await readFile(FILE, 'utf8'))))
  const version = createHash('sha256').update(json).digest('base64url').slice(0, 22)
  return { json, gzip: await promisify(gzip)(json), version }
}

/** The OpenAPI document of all public routes, prepared for the first request: few processes get one. */
export function openApiRoute(app: App): void {
  let reading: Promise<PublicApi> | undefined
  app.get(
    '/api/openapi.json',
    { config: { access: 'public', allowsVisitors: true, whileDeleting: true }, schema },
    async (request, reply) => {
      reading ??= readPublicApi()
      const document = await reading
      const compressed = acceptsGzip(request.headers['accept-encoding'])
      const etag = `"${compressed ? `${document.version}-gzip` : document.version}"`
      reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
      if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
      if (compressed) reply.header('content-encoding', 'gzip')
      return reply.type('application/json; charset=utf-8').send(compressed ? document.gzip : document.json)
    },
  )
}
