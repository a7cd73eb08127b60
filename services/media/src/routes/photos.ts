import { Readable } from 'node:stream'
import { type App, ErrorBody, notFound, signedIn } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { knownFiles } from '../known.ts'
import { countPhotos, listPage, readStatus, type Scope, streamAll } from '../listing.ts'
import { Id, Ids, MAX_IDS, PhotoBody } from '../photo.ts'

const Params = Type.Object({ id: Id })
const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Photos a page; absent: all' })),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the page before' })),
  sort: Type.Optional(Type.Union([Type.Literal('newest'), Type.Literal('oldest')], { default: 'newest' })),
})
const OwnQuery = Type.Object({
  ...Query.properties,
  ids: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$',
      description: 'Only these photos, at most 100 and not paged: so an app reads again what has changed',
    }),
  ),
})
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file, in hex' })
const PhotoStatus = Type.Pick(PhotoBody, ['id', 'status', 'statusMessage'])
type ListQuery = Type.Static<typeof Query>
const errors = { '4xx': ErrorBody, '5xx': ErrorBody }

/** Answers a list: all of it as a stream, or a page with a link to the next one. */
async function sendList(deps: MediaDeps, reply: FastifyReply, path: string, scope: Scope, query: ListQuery) {
  const { limit, cursor, sort = 'newest' } = query
  reply.header('x-total-count', await countPhotos(deps.db, scope)).header('cache-control', 'private, no-store')
  if (limit === undefined) {
    return reply.type('application/json; charset=utf-8').send(Readable.from(streamAll(deps.db, scope, sort)))
  }
  const page = await listPage(deps.db, scope, sort, cursor ?? null, limit)
  if (page.next !== null) {
    const next = new URLSearchParams({ limit: String(limit), sort, cursor: page.next })
    reply.header('link', `<${path}?${next}>; rel="next"`)
  }
  return reply.send(page.photos)
}

/** Numbers beyond the database's are nobody's. */
function parseIds(ids: string): number[] {
  return ids
    .split(',')
    .map(Number)
    .filter((id) => id < 2 ** 31)
}

export function photoRoutes(app: App, deps: MediaDeps): void {
  const list = { querystring: Query, response: { 200: Type.Array(PhotoBody), ...errors } }

  app.get(
    '/api/photos',
    { config: { access: 'user' }, schema: { ...list, querystring: OwnQuery } },
    (request, reply) => {
      const { ids, ...query } = request.query
      const { userId } = signedIn(request)
      if (ids === undefined) return sendList(deps, reply, '/api/photos', { userId }, query)
      return sendList(deps, reply, '/api/photos', { userId, id: { in: parseIds(ids) } }, { sort: query.sort })
    },
  )

  app.get(
    '/api/folders/:id/photos',
    { config: { access: 'user' }, schema: { params: Params, ...list } },
    async (request, reply) => {
      const { userId, isAdmin } = signedIn(request)
      const { id } = request.params
      const folder = await deps.folders.known(id)
      if (!folder || (folder.userId !== userId && !isAdmin)) throw notFound('Folder not found')
      return sendList(deps, reply, `/api/folders/${id}/photos`, { folderId: id }, request.query)
    },
  )

  app.post(
    '/api/photos/known',
    {
      config: { access: 'user' },
      schema: {
        description: 'Which of these files are own photos already, so that they need not be sent',
        body: Type.Object({ hashes: Type.Array(Sha256, { maxItems: MAX_IDS }) }),
        response: { 200: Type.Object({ known: Type.Record(Type.String(), Type.Integer()) }), ...errors },
      },
    },
    async (request) => ({
      known: await knownFiles(deps.db, deps.store, signedIn(request).userId, request.body.hashes),
    }),
  )

  app.post(
    '/api/photos/status',
    {
      config: { access: 'user' },
      schema: {
        description: 'How far the processing of own photos is; deleted ones are absent',
        body: Type.Object({ ids: Ids }),
        response: { 200: Type.Array(PhotoStatus), ...errors },
      },
    },
    (request) => readStatus(deps.db, signedIn(request).userId, request.body.ids),
  )
}
