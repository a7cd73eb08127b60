import { type App, createLimiter, errorResponses, invalidFields, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { type BulkAction, changeMany } from '../gallery/bulk-change.ts'
import { countSelected, findSelectedIds } from '../gallery/bulk-selection.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/filter.ts'
import { Id, Ids, signedIn } from './schemas.ts'

/** The gateway accepts their JSON together with the rest of the request. */
const MAX_EXCEPT = 5000
const CHANGES_PER_USER = 2
const TOO_MANY_CHANGES = 'You are changing too many photos at once. Please wait a moment.'

// A misspelt filter must not select all photos.
const strict = { additionalProperties: false }
const ListFilter = Type.Object(GalleryFilterQuery.properties, {
  ...strict,
  description: 'Instead of ids: all own photos that `GET /api/photos` lists with this filter',
})
const Except = Type.Optional(
  Type.Array(Id, { maxItems: MAX_EXCEPT, description: 'Photos that match the filter and are not changed' }),
)
const CountRequest = Type.Object({ filter: ListFilter, except: Except }, strict)
const CountResponse = Type.Object(
  { count: Type.Integer({ minimum: 0 }), until: Type.String({ format: 'date-time' }) },
  { description: 'Exact number of photos at a point in time' },
)
const BulkRequest = Type.Object(
  {
    ids: Type.Optional(Ids),
    filter: Type.Optional(ListFilter),
    except: Except,
    agreed: Type.Optional(
      Type.Object(CountResponse.properties, {
        description:
          'With a filter: the number of photos that the user confirmed. Photos uploaded later are not changed',
      }),
    ),
    action: Type.Union([Type.Literal('move'), Type.Literal('delete'), Type.Literal('privacy')]),
    folderId: Type.Optional(Nullable(Id)),
    isPublic: Type.Optional(Type.Boolean()),
  },
  strict,
)
const BulkResponse = Type.Object({
  done: Type.Array(Type.Integer()),
  failed: Type.Array(Type.Object({ id: Type.Integer(), message: Type.String() })),
})

const count = {
  summary: 'Counts the photos that a bulk change would affect, for its confirmation',
  body: CountRequest,
  response: { 200: CountResponse, ...errorResponses },
}
const bulk = {
  summary: 'Applies one change to many photos; a photo that fails is listed and does not affect the others',
  body: BulkRequest,
  response: { 200: BulkResponse, ...errorResponses },
}

/** Changes of many photos. */
export function bulkRoutes(app: App, deps: MediaDeps): void {
  const { db, folders } = deps
  // A change of a whole gallery holds a connection of the pool for most of its time.
  const limiter = createLimiter({
    perKey: CHANGES_PER_USER,
    maxWaitingPerKey: 20,
    maxWaiting: 500,
    limit: 'bulk-changes-of-user',
    messages: { tooManyOfKey: TOO_MANY_CHANGES },
  })

  app.post('/api/photos/count', { ...signedIn, schema: count }, (request) => {
    const { filter, except = [] } = request.body
    const { userId } = requireUser(request)
    return limiter.run({ key: userId }, async () => {
      const selected = await countSelected(db, await readGalleryQuery(folders, userId, filter), except)
      return { count: selected.count, until: selected.until.toISOString() }
    })
  })

  app.post('/api/photos/bulk', { ...signedIn, schema: bulk }, (request) => {
    const actor = requireUser(request)
    const action = readAction(request.body)
    return limiter.run({ key: actor.userId }, async () =>
      changeMany(deps, await selectIds(deps, actor.userId, request.body), actor, action),
    )
  })
}

function readAction({ action, folderId = null, isPublic }: Type.Static<typeof BulkRequest>): BulkAction {
  if (action === 'move') return { action, folderId }
  if (action === 'delete') return { action }
  if (isPublic === undefined) throw invalidFields({ isPublic: 'Please say whether the photos are to be public.' })
  return { action, isPublic }
}

/** The photos that the request names by ids or by a filter. @throws AppError 400, 409 */
async function selectIds(
  { db, folders }: MediaDeps,
  userId: number,
  { ids, filter, except, agreed }: Type.Static<typeof BulkRequest>,
): Promise<number[]> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidFields({ ids: 'Please name the photos either by their ids or by a filter.' })
  }
  if (ids && (except || agreed)) throw invalidFields({ ids: 'Exceptions and a count belong to a filter, not to ids.' })
  const confirmed = agreed ? { count: agreed.count, until: new Date(agreed.until) } : null
  if (ids) return ids
  const query = await readGalleryQuery(folders, userId, filter ?? {})
  return findSelectedIds(db, query, except ?? [], confirmed)
}
