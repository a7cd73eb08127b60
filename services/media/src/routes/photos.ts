import { Readable } from 'node:stream'
import { type App, ErrorBody, notFound, signedIn } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { deletePhoto, movePhoto } from '../changes.ts'
import { countPhotos, listPage, type Scope, streamAll } from '../listing.ts'
import { PhotoBody, photoJson } from '../photo.ts'

const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
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

  app.patch(
    '/api/photos/:id/folder',
    {
      config: { access: 'user' },
      schema: {
        params: Params,
        body: Type.Object({ folderId: Type.Union([Id, Type.Null()]) }),
        response: { 200: PhotoBody, ...errors },
      },
    },
    async (request) => {
      const { userId } = signedIn(request)
      const { folderId } = request.body
      const { photo, folder } = await movePhoto(deps.db, deps.folders, { photoId: request.params.id, userId, folderId })
      deps.relay.wake()
      return photoJson(photo, folder)
    },
  )

  app.delete(
    '/api/photos/:id',
    { config: { access: 'user' }, schema: { params: Params, response: { 204: Type.Null(), ...errors } } },
    async (request, reply) => {
      await deletePhoto(deps.db, request.params.id, signedIn(request))
      deps.relay.wake()
      return reply.code(204).send(null)
    },
  )
}
