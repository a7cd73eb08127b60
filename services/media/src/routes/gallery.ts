import { Readable } from 'node:stream'
import { type App, badRequest, compressJson, errorResponses, Nullable, notFound, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import type { MediaDeps } from '../deps.ts'
import { FilterQuery, GalleryFilterQuery, readFilter, readGalleryQuery } from '../gallery/filter.ts'
import {
  CameraCount,
  listByIds,
  listCameras,
  listPage,
  listPlaces,
  listStatus,
  PlaceCount,
  streamPhotos,
} from '../gallery/list-photos.ts'
import { countListed, findIndex } from '../gallery/list-positions.ts'
import { type ListQuery, MAX_COUNT, MAX_COUNT_TO, NO_FOLDER, SORTS, type Sort } from '../gallery/list-query.ts'
import { listMonths, Month } from '../gallery/months.ts'
import type { UserLimit } from '../limits.ts'
import { PhotoSchema } from '../photos/photo-response.ts'
import { IdParams, Ids, signedIn } from './schemas.ts'

/** A larger jump reads more of the index than a request may cost. */
const MAX_SKIP = 1_000_000
/** A search reads skipped photos one by one. Consecutive pages use their links, which do not skip. */
const MAX_SKIP_OF_SEARCH = 10_000

const Sorting = Type.Union(
  SORTS.map((sort) => Type.Literal(sort)),
  {
    default: 'newest',
    description: `By upload; by the camera's clock: then photos without a date come last; or, only for a folder, in its owner's
order: then photos without a position come last, oldest first`,
  },
)
const ListQuerystring = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Photos per page; all if absent' })),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SKIP, description: 'Number of photos to skip, for a jump in a long list' }),
  ),
  sort: Type.Optional(Sorting),
  countTo: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_COUNT_TO, description: `Where counting ends; ${MAX_COUNT} if absent` }),
  ),
  raw: Type.Optional(
    Type.Literal('all', { description: 'The raw file of each pair follows its JPEG; counts and `limit` are of pairs' }),
  ),
  ...FilterQuery.properties,
})
const OwnListQuerystring = Type.Object({
  ...ListQuerystring.properties,
  ...GalleryFilterQuery.properties,
  ids: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$',
      description: 'Only these photos, at most 100, not paged; for clients that refresh changed photos',
    }),
  ),
})
const MonthsQuerystring = Type.Object({
  ...GalleryFilterQuery.properties,
  sort: Type.Optional(Sorting),
  timeZone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
      description: 'Name of the time zone for months of upload, `UTC` if absent or unknown',
    }),
  ),
})
const Months = Type.Object({
  months: Nullable(
    Type.Array(Month, { description: "Null: the list is too long to be counted, or in its owner's order" }),
  ),
})
const LIST = `Filtered photos, in pages with a \`Link\` to the next one. \`X-Total-Count\` is exact for a whole gallery, one
location or camera of it, a whole folder and all photos without one; otherwise exact up to \`countTo\`, and one more
stands for more.`

const list = { description: LIST, response: { 200: Type.Array(PhotoSchema), ...errorResponses } }
const ownList = { ...list, summary: 'Lists own photos', querystring: OwnListQuerystring }
const folderList = {
  params: IdParams,
  ...list,
  summary: 'Lists the photos of an own folder',
  querystring: ListQuerystring,
}
const FolderQuerystring = Type.Pick(GalleryFilterQuery, ['folder'])
const places = {
  summary: 'Lists the places of own photos with the number of photos at each, for the location filter',
  querystring: FolderQuerystring,
  response: { 200: Type.Array(PlaceCount), ...errorResponses },
}
const cameras = {
  summary: 'Lists the camera models of own photos with the number of photos of each, for the camera filter',
  querystring: FolderQuerystring,
  response: { 200: Type.Array(CameraCount), ...errorResponses },
}
const months = {
  summary: 'Lists the months of a list of own photos in its order, with the number of photos of each',
  querystring: MonthsQuerystring,
  response: { 200: Months, ...errorResponses },
}
const index = {
  summary: 'Returns where an own photo is in a list of own photos, or would be if the list had it',
  params: IdParams,
  querystring: Type.Object({ ...GalleryFilterQuery.properties, sort: Type.Optional(Sorting) }),
  response: {
    200: Type.Object({
      index: Nullable(Type.Integer({ description: 'Number of photos before it; null: too far in a search' })),
    }),
    ...errorResponses,
  },
}
const status = {
  summary: 'Returns the processing status of own photos; deleted ones are absent',
  body: Type.Object({ ids: Ids }),
  response: { 200: Type.Array(Type.Pick(PhotoSchema, ['id', 'status', 'statusMessage'])), ...errorResponses },
}

/** Lists of photos. */
export function galleryRoutes(app: App, deps: MediaDeps, reads: UserLimit): void {
  const { db } = deps
  const limited = { ...signedIn, ...reads }
  const listed = { ...limited, onSend: [reads.onSend, compressJson] }

  app.get('/api/photos', { ...listed, schema: ownList }, async (request, reply) => {
    const { ids, ...query } = request.query
    const { userId } = requireUser(request)
    if (ids === undefined) {
      return sendList(db, reply, '/api/photos', await readGalleryQuery(deps, userId, query), query)
    }
    const { sort = 'newest', raw } = query
    const photos = await listByIds(db, userId, parseIds(ids), { sort, withRaw: raw === 'all' })
    return startList(reply, photos.length).send(photos)
  })

  app.get('/api/photos/places', { ...limited, schema: places }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return listPlaces(db, await readGalleryQuery(deps, requireUser(request).userId, request.query))
  })

  app.get('/api/photos/cameras', { ...limited, schema: cameras }, async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    return listCameras(db, await readGalleryQuery(deps, requireUser(request).userId, request.query))
  })

  app.get('/api/photos/months', { ...limited, schema: months }, async (request, reply) => {
    const { sort = 'newest', timeZone = 'UTC', ...filter } = request.query
    const query = await readGalleryQuery(deps, requireUser(request).userId, filter)
    requireOrder(query, sort)
    reply.header('cache-control', 'private, no-store')
    return { months: await listMonths(db, query, sort, timeZone) }
  })

  app.get('/api/photos/:id/index', { ...limited, schema: index }, async (request, reply) => {
    const { sort = 'newest', ...filter } = request.query
    const query = await readGalleryQuery(deps, requireUser(request).userId, filter)
    requireOrder(query, sort)
    const found = await findIndex(db, query, sort, request.params.id)
    if (found === undefined) throw notFound('Photo not found')
    reply.header('cache-control', 'private, no-store')
    return { index: found }
  })

  app.get('/api/folders/:id/photos', { ...listed, schema: folderList }, async (request, reply) => {
    const { id } = request.params
    const { userId } = await authorizeFolder(deps, request, id)
    const query = { scope: { userId, folderId: id }, filter: readFilter(request.query) }
    return sendList(db, reply, `/api/folders/${id}/photos`, query, request.query)
  })

  app.post('/api/photos/status', { ...signedIn, schema: status }, (request) =>
    listStatus(db, requireUser(request).userId, request.body.ids),
  )
}

/** Returns the folder if it is the caller's or the caller is an administrator, which is recorded. @throws AppError 404 */
async function authorizeFolder({ folders, viewAudit }: MediaDeps, request: FastifyRequest, id: number) {
  const { userId, isAdmin } = requireUser(request)
  const folder = await folders.find(id)
  if (folder?.userId === userId) return folder
  if (!folder || !isAdmin) throw notFound('Folder not found')
  await viewAudit.record({ actorId: userId, action: 'folder.viewed', ownerId: folder.userId, subjectId: id })
  return folder
}

/** Sends a whole list as a stream, or a page with a link to the next one, which keeps the filters. */
async function sendList(
  db: Database,
  reply: FastifyReply,
  path: string,
  query: ListQuery,
  querystring: Type.Static<typeof ListQuerystring>,
) {
  const { limit, cursor = null, skip = 0, sort = 'newest', countTo, ...filter } = querystring
  const withRaw = filter.raw === 'all'
  requireOrder(query, sort)
  if (query.filter.q !== null && skip > MAX_SKIP_OF_SEARCH) throw badRequest('Please narrow the search to go so far.')
  if (limit === undefined) {
    startList(reply, await countListed(db, query, countTo)).type('application/json; charset=utf-8')
    return reply.send(Readable.from(streamPhotos(db, query, { sort, withRaw })))
  }
  const page = await listPage(db, query, { sort, cursor, skip, limit, countTo, withRaw })
  startList(reply, page.total)
  if (page.next !== null) {
    const next = new URLSearchParams({ limit: String(limit), sort, ...filter, cursor: page.next })
    if (countTo !== undefined) next.set('countTo', String(countTo))
    reply.header('link', `<${path}?${next}>; rel="next"`)
  }
  return reply.send(page.photos)
}

/** @throws AppError 400 for a list that has no order of its owner */
function requireOrder({ scope: { folderId } }: ListQuery, sort: Sort): void {
  if (sort === 'own' && (folderId ?? NO_FOLDER) === NO_FOLDER)
    throw badRequest('Only a folder has an order of its own.')
}

function startList(reply: FastifyReply, total: number): FastifyReply {
  return reply.header('x-total-count', total).header('cache-control', 'private, no-store')
}

/** Omits ids that are larger than those of the database. */
function parseIds(ids: string): number[] {
  return ids
    .split(',')
    .map(Number)
    .filter((id) => id < 2 ** 31)
}
