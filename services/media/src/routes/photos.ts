import { Readable } from 'node:stream'
import { type App, badRequest, createLimiter, errorResponses, Nullable, notFound, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { FilterQuery, readFilter } from '../gallery/filter.ts'
import { countFound } from '../gallery/find.ts'
import { COUNTED, type Scope } from '../gallery/list-sql.ts'
import { listNamed, listPage, listPlaces, readStatus, streamAll } from '../gallery/listing.ts'
import { Id, Ids, MAX_IDS, PhotoBody } from '../photos/photo.ts'
import { knownFiles } from '../uploads/known-files.ts'

const Params = Type.Object({ id: Id })
/** A jump farther than this reads through more of the index than a request may cost. */
const MAX_SKIP = 1_000_000
/** What a search passes over is looked at one by one; pages that follow each other go on by their links. */
const MAX_SKIP_OF_SEARCH = 10_000
const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Photos a page; absent: all' })),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the page before' })),
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SKIP, description: 'Photos to pass over: for a jump in a long list' }),
  ),
  sort: Type.Optional(Type.Union([Type.Literal('newest'), Type.Literal('oldest')], { default: 'newest' })),
  ...FilterQuery.properties,
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

const Place = Type.Object({
  city: Nullable(Type.String()),
  state: Nullable(Type.String()),
  count: Type.Integer(),
})
const LIST = `Filtered photos, in pages with a \`Link\` to the next one. \`X-Total-Count\` is exact for a whole gallery, one
location of it and a whole folder; otherwise exact up to ${COUNTED}, and ${COUNTED + 1} stands for more.`

function startList(reply: FastifyReply, total: number): FastifyReply {
  return reply.header('x-total-count', total).header('cache-control', 'private, no-store')
}

/** Answers a list: all of it as a stream, or a page with a link to the next one, which keeps the filters. */
async function sendList({ db }: MediaDeps, reply: FastifyReply, path: string, scope: Scope, query: ListQuery) {
  const { limit, cursor = null, skip = 0, sort = 'newest', ...wanted } = query
  const search = { scope, filter: readFilter(wanted) }
  if (search.filter.q !== null && skip > MAX_SKIP_OF_SEARCH) throw badRequest('Please narrow the search to go so far.')
  if (limit === undefined) {
    startList(reply, await countFound(db, search)).type('application/json; charset=utf-8')
    return reply.send(Readable.from(streamAll(db, search, sort)))
  }
  const page = await listPage(db, search, { sort, cursor, skip, limit })
  startList(reply, page.total)
  if (page.next !== null) {
    const next = new URLSearchParams({ limit: String(limit), sort, ...wanted, cursor: page.next })
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

const TOO_MANY_LISTS = 'You are reading too many lists at once. Please wait a moment.'

export function photoRoutes(app: App, deps: MediaDeps): void {
  const list = { description: LIST, querystring: Query, response: { 200: Type.Array(PhotoBody), ...errorResponses } }
  const limiter = createLimiter({
    perKey: 3,
    maxWaitingPerKey: 50,
    maxWaiting: 500,
    messages: { tooManyOfKey: TOO_MANY_LISTS },
  })

  /** The list's turn ends with its answer, or when the client leaves. */
  async function waitForTurn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const end = await limiter.acquire({ key: requireUser(request).userId })
    reply.raw.once('close', end)
    if (reply.raw.destroyed) end()
  }

  app.get(
    '/api/photos',
    { config: { access: 'user' }, preHandler: waitForTurn, schema: { ...list, querystring: OwnQuery } },
    async (request, reply) => {
      const { ids, ...query } = request.query
      const { userId } = requireUser(request)
      if (ids === undefined) return sendList(deps, reply, '/api/photos', { userId, folderId: null }, query)
      const photos = await listNamed(deps.db, userId, parseIds(ids), query.sort ?? 'newest')
      return startList(reply, photos.length).send(photos)
    },
  )

  app.get(
    '/api/photos/places',
    {
      config: { access: 'user' },
      schema: {
        description: 'The places of the own photos with the number of photos at each, for the location filter',
        response: { 200: Type.Array(Place), ...errorResponses },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-store')
      return listPlaces(deps.db, requireUser(request).userId)
    },
  )

  app.get(
    '/api/folders/:id/photos',
    { config: { access: 'user' }, preHandler: waitForTurn, schema: { params: Params, ...list } },
    async (request, reply) => {
      const { userId, isAdmin } = requireUser(request)
      const { id } = request.params
      const folder = await deps.folders.known(id)
      if (!folder || (folder.userId !== userId && !isAdmin)) throw notFound('Folder not found')
      return sendList(deps, reply, `/api/folders/${id}/photos`, { userId: folder.userId, folderId: id }, request.query)
    },
  )

  app.post(
    '/api/photos/known',
    {
      config: { access: 'user' },
      schema: {
        description: 'Which of these files are own photos already, so that they need not be sent',
        body: Type.Object({ hashes: Type.Array(Sha256, { maxItems: MAX_IDS }) }),
        response: { 200: Type.Object({ known: Type.Record(Type.String(), Type.Integer()) }), ...errorResponses },
      },
    },
    async (request) => ({
      known: await knownFiles(deps.db, deps.store, requireUser(request).userId, request.body.hashes),
    }),
  )

  app.post(
    '/api/photos/status',
    {
      config: { access: 'user' },
      schema: {
        description: 'How far the processing of own photos is; deleted ones are absent',
        body: Type.Object({ ids: Ids }),
        response: { 200: Type.Array(PhotoStatus), ...errorResponses },
      },
    },
    (request) => readStatus(deps.db, requireUser(request).userId, request.body.ids),
  )
}
