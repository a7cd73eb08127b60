import { type App, badRequest, errorResponses, invalidFields, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { type BulkAction, BulkResult, changeMany } from '../gallery/bulk-change.ts'
import { readGalleryQuery } from '../gallery/filter.ts'
import { arrangePhotos, MAX_ARRANGED } from '../gallery/own-order.ts'
import { limitPerUser } from '../limits.ts'
import { MAX_PLACED_FILES, type PositionChange, placePhotos } from '../photos/corrections.ts'
import { Id, IdParams, Ids, signedIn } from './schemas.ts'
import { countSelected, Except, ListFilter, selectIds, strict } from './selection.ts'

const CHANGES_PER_USER = 2
const TOO_MANY_CHANGES = 'You are changing too many photos at once. Please wait a moment.'

const CountRequest = Type.Object({ filter: ListFilter, except: Except }, strict)
const CountResponse = Type.Object(
  { count: Type.Integer({ minimum: 0 }), lastId: Id },
  { description: 'Exact number of photos; those with a greater id than `lastId` were uploaded later' },
)
const Degrees = (limit: number) => Type.Number({ minimum: -limit, maximum: limit, description: 'Decimal degrees' })
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
    action: Type.Union([
      Type.Literal('move'),
      Type.Literal('delete'),
      Type.Literal('privacy'),
      Type.Literal('restore', {
        description: 'Undoes a move or a change of visibility: `ids` and the rest are a group of its `before`',
      }),
      Type.Literal('position', {
        description:
          'Corrects the position: `latitude` and `longitude` of all photos, or `moveBy` for each from its own',
      }),
    ]),
    folderId: Type.Optional(Nullable(Id)),
    isPublic: Type.Optional(Type.Boolean()),
    privateByChoice: Type.Optional(Type.Boolean()),
    paired: Type.Optional(Type.Boolean()),
    latitude: Type.Optional(Degrees(90)),
    longitude: Type.Optional(Degrees(180)),
    moveBy: Type.Optional(
      Type.Object(
        { latitude: Degrees(180), longitude: Degrees(360) },
        { ...strict, description: 'Repeat it for the photos in `failed` only: those in `done` would move again' },
      ),
    ),
  },
  strict,
)
const count = {
  summary: 'Counts the photos that a bulk change would affect, for its confirmation',
  body: CountRequest,
  response: { 200: CountResponse, ...errorResponses },
}
const bulk = {
  summary: 'Applies one change to many photos; a photo that fails is listed and does not affect the others',
  body: BulkRequest,
  response: { 200: BulkResult, ...errorResponses },
}

const PhotoPositions = Type.Array(
  Type.Object(
    {
      id: Id,
      position: Nullable(Type.Object({ latitude: Degrees(90), longitude: Degrees(180) }, strict)),
      corrected: Type.Optional(
        Type.Boolean({ description: 'Whether it is a correction, which processing never overwrites; true if absent' }),
      ),
    },
    strict,
  ),
  { maxItems: MAX_PLACED_FILES },
)
const positions = {
  summary: 'Gives each of many own photos its own position, or none',
  description: `All or, with an error, none are changed. May be repeated; sending \`before\` undoes it. Up to ${MAX_PLACED_FILES} files may be
changed, with both of each pair: any ${MAX_PLACED_FILES / 2} photos.`,
  body: Type.Object({ positions: PhotoPositions }, strict),
  response: {
    200: Type.Object({
      before: Type.Array(PhotoPositions.items, {
        description:
          'The positions that these photos had, of a pair those of both files. Photos that were not found are absent',
      }),
    }),
    ...errorResponses,
  },
}

const order = {
  summary: "Puts the photos of an own folder in their owner's order",
  params: IdParams,
  body: Type.Object(
    {
      ids: Type.Array(Id, { maxItems: MAX_ARRANGED, description: 'Each photo once' }),
      before: Type.Optional(
        Nullable(
          Type.Integer({
            ...Id,
            description: `The photos move before this one, null: to the end; absent: they are the whole order, and other photos
follow without a position`,
          }),
        ),
      ),
    },
    strict,
  ),
  response: { 204: Type.Null(), ...errorResponses },
}

/** Changes of many photos. */
export function bulkRoutes(app: App, deps: MediaDeps): void {
  const { db, folders, relay } = deps
  // A change of a whole gallery holds a connection of the pool for most of its time.
  const limits = limitPerUser({
    perKey: CHANGES_PER_USER,
    limit: 'bulk-changes-of-user',
    messages: { tooManyOfKey: TOO_MANY_CHANGES },
  })
  const limited = { ...signedIn, ...limits }

  app.post('/api/photos/count', { ...limited, schema: count }, async (request) => {
    const { filter, except = [] } = request.body
    const query = await readGalleryQuery(deps, requireUser(request).userId, filter)
    return countSelected(db, query, except)
  })

  app.post('/api/photos/bulk', { ...limited, schema: bulk }, async (request) => {
    const actor = requireUser(request)
    const action = readAction(request.body)
    return changeMany(deps, await selectIds(deps, actor.userId, request.body, request.body.agreed), actor, action)
  })

  app.put('/api/photos/positions', { ...limited, schema: positions }, async (request) => {
    const { places } = deps
    const { userId } = requireUser(request)
    const before = await placePhotos({ db, places, userId }, request.body.positions)
    relay.wake()
    return { before }
  })

  app.put('/api/folders/:id/order', { ...limited, schema: order }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { ids, before } = request.body
    const folder = await folders.findOwn(request.params.id, userId)
    if (new Set(ids).size < ids.length) throw badRequest('A photo is named twice.')
    if (before && ids.includes(before)) throw badRequest('A photo cannot move before itself.')
    await arrangePhotos(db, userId, folder.id, ids, before)
    relay.wake()
    return reply.code(204).send(null)
  })
}

function readAction(request: Type.Static<typeof BulkRequest>): BulkAction {
  const { action, folderId = null, isPublic, privateByChoice = false, paired = true } = request
  if (action === 'move') return { action, folderId }
  if (action === 'delete') return { action }
  if (action === 'position') return { action, change: readPositionChange(request) }
  if (isPublic === undefined) throw invalidFields({ isPublic: 'Please say whether the photos are to be public.' })
  if (action === 'restore') return { action, place: { folderId, isPublic, privateByChoice, paired } }
  return { action, isPublic }
}

function readPositionChange({ latitude, longitude, moveBy }: Type.Static<typeof BulkRequest>): PositionChange {
  if (moveBy && latitude === undefined && longitude === undefined) return { by: moveBy }
  if (!moveBy && latitude !== undefined && longitude !== undefined) return { to: { latitude, longitude } }
  const message = 'Please give either latitude and longitude, or how far the photos are to move.'
  throw invalidFields({ latitude: message })
}
