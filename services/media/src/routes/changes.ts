import { type App, errorResponses, invalidFields, Nullable, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { type BulkAction, changeMany, countListed, idsOf } from '../gallery/bulk.ts'
import { FilterQuery, readFilter } from '../gallery/filter.ts'
import type { Search } from '../gallery/list-sql.ts'
import { toJson } from '../gallery/listing.ts'
import type { Photo } from '../generated/client.ts'
import { deletePhotos, movePhotos, reprocessPhotos, setPrivacy } from '../photos/changes.ts'
import { Id, Ids, PhotoBody, type PhotoJson } from '../photos/photo.ts'

const Params = Type.Object({ id: Id })
const FolderId = Nullable(Id)
const changed = { 200: PhotoBody, ...errorResponses }
const access = { config: { access: 'user' } } as const

/** Their JSON fits through the gateway, with all else in the request. */
const MAX_EXCEPT = 5000

// A mistyped filter must not let all photos through.
const known = { additionalProperties: false }
const ListFilter = Type.Object(FilterQuery.properties, {
  ...known,
  description: 'Instead of ids: all own photos that `GET /api/photos` lists with it',
})
const Except = Type.Optional(
  Type.Array(Id, { maxItems: MAX_EXCEPT, description: 'Photos that the filter lists and that are left alone' }),
)
const Count = Type.Object({ filter: ListFilter, except: Except }, known)
const CountAnswer = Type.Object(
  { count: Type.Integer({ minimum: 0 }), until: Type.String({ format: 'date-time' }) },
  { description: 'How many photos there were, exactly, and when' },
)
const Bulk = Type.Object(
  {
    ids: Type.Optional(Ids),
    filter: Type.Optional(ListFilter),
    except: Except,
    agreed: Type.Optional(
      Type.Object(CountAnswer.properties, {
        description: 'With a filter: the count that the user agreed to. What was uploaded later is left alone',
      }),
    ),
    action: Type.Union([Type.Literal('move'), Type.Literal('delete'), Type.Literal('privacy')]),
    folderId: Type.Optional(FolderId),
    isPublic: Type.Optional(Type.Boolean()),
  },
  known,
)
const BulkAnswer = Type.Object({
  done: Type.Array(Type.Integer()),
  failed: Type.Array(Type.Object({ id: Type.Integer(), message: Type.String() })),
})

function bulkAction({ action, folderId = null, isPublic }: Type.Static<typeof Bulk>): BulkAction {
  if (action === 'move') return { action, folderId }
  if (action === 'delete') return { action }
  if (isPublic === undefined) throw invalidFields({ isPublic: 'Please say whether the photos are to be public.' })
  return { action, isPublic }
}

function listed(userId: number, filter: Type.Static<typeof FilterQuery>): Search {
  return { scope: { userId, folderId: null }, filter: readFilter(filter) }
}

/** The photos that are named one way or the other. @throws AppError 400, 409 */
async function bulkIds(
  { db }: MediaDeps,
  userId: number,
  { ids, filter, except, agreed }: Type.Static<typeof Bulk>,
): Promise<number[]> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidFields({ ids: 'Please name the photos either by their ids or by a filter.' })
  }
  if (ids && (except || agreed)) throw invalidFields({ ids: 'Exceptions and a count belong to a filter, not to ids.' })
  const counted = agreed ? { count: agreed.count, until: new Date(agreed.until) } : null
  return ids ?? idsOf(db, listed(userId, filter ?? {}), except ?? [], counted)
}

export function changeRoutes(app: App, deps: MediaDeps): void {
  const { db, folders } = deps

  /** The answer to a change of one photo. @throws AppError 404 when it was not the caller's to change */
  async function answer([photo]: Photo[]): Promise<PhotoJson> {
    if (!photo) throw notFound('Photo not found')
    deps.relay.wake()
    const [json] = await toJson(db, [photo])
    return json as PhotoJson
  }

  app.patch(
    '/api/photos/:id/folder',
    { ...access, schema: { params: Params, body: Type.Object({ folderId: FolderId }), response: changed } },
    async (request) => {
      const { userId } = requireUser(request)
      const { folderId } = request.body
      return answer(await movePhotos(db, folders, [request.params.id], { userId, folderId }))
    },
  )

  app.patch(
    '/api/photos/:id/privacy',
    { ...access, schema: { params: Params, body: Type.Object({ isPublic: Type.Boolean() }), response: changed } },
    async (request) => {
      const { userId } = requireUser(request)
      const { isPublic } = request.body
      return answer(await setPrivacy(db, folders, [request.params.id], { userId, isPublic }))
    },
  )

  app.post(
    '/api/photos/:id/reprocess',
    {
      ...access,
      schema: { description: 'Lets a photo be processed again', params: Params, response: changed },
    },
    async (request) => {
      const photos = await reprocessPhotos(db, [request.params.id], requireUser(request).userId)
      deps.committed(photos)
      return answer(photos)
    },
  )

  app.delete(
    '/api/photos/:id',
    { ...access, schema: { params: Params, response: { 204: Type.Null(), ...errorResponses } } },
    async (request, reply) => {
      const [deleted] = await deletePhotos(db, [request.params.id], requireUser(request))
      if (!deleted) throw notFound('Photo not found')
      deps.relay.wake()
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/photos/count',
    {
      ...access,
      schema: {
        description: 'Counts the photos that a change of many would reach, for the question before it',
        body: Count,
        response: { 200: CountAnswer, ...errorResponses },
      },
    },
    async (request) => {
      const { filter, except = [] } = request.body
      const { count, until } = await countListed(db, listed(requireUser(request).userId, filter), except)
      return { count, until: until.toISOString() }
    },
  )

  app.post(
    '/api/photos/bulk',
    {
      ...access,
      schema: {
        description: 'Does the same with many photos; those that fail are named and harm no other',
        body: Bulk,
        response: { 200: BulkAnswer, ...errorResponses },
      },
    },
    async (request) => {
      const by = requireUser(request)
      const action = bulkAction(request.body)
      return changeMany(deps, await bulkIds(deps, by.userId, request.body), by, action)
    },
  )
}
