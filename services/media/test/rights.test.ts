import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Identity, openRedis } from '@skyfolio/kit'
import { CALLERS, type Caller, type Cells, cells, LATE, outcomeFor, succeeds, testRights } from '@skyfolio/testkit'
import { afterAll, beforeAll } from 'vitest'
import { newId, printImageKey, renditionKey } from '../src/files/object-keys.ts'
import { regroupChanges } from '../src/flights/group-flights.ts'
import { worldX, worldY } from '../src/gallery/web-mercator.ts'
import { type PhotoResponse, toPhotoResponse } from '../src/photos/photo-response.ts'
import { createPrintImageNames } from '../src/print-images/names.ts'
import { declare } from './session-support.ts'
import { admin, jpeg, PRINT_IMAGE_KEYS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

/*
 * Who may do what with a photo: every route of media, for every kind of caller, in every state of the photo. An
 * administrator sees and may delete everybody's photos, and never acts as the owner otherwise.
 */

const identities: Record<Caller, Partial<Identity>> = {
  anonymous: visitor,
  other: user(2),
  owner: user(1),
  admin,
  [LATE]: { ...admin, confirmedAt: Date.now() - 16 * 60_000 },
}

const states = [
  'without a folder',
  'in a private folder',
  'in a public folder',
  'private in a public folder',
  'in a public folder of a suspended owner',
  'deleted',
] as const
type State = (typeof states)[number]

const PRIVATE_FOLDER = 10
const PUBLIC_FOLDER = 11
const FOLDER_OF_SUSPENDED = 15
const folderFor: Record<State, number | null> = {
  'without a folder': null,
  'in a private folder': PRIVATE_FOLDER,
  'in a public folder': PUBLIC_FOLDER,
  'private in a public folder': PUBLIC_FOLDER,
  'in a public folder of a suspended owner': FOLDER_OF_SUSPENDED,
  deleted: PUBLIC_FOLDER,
}
/** A folder of each caller. */
const ownFolder: Record<Caller, number> = { anonymous: 12, other: 13, owner: 12, admin: 14, [LATE]: 14 }

interface Fixture {
  photo: PhotoResponse
  /** Its folder, also the one before it was deleted. */
  folderId: number | null
  bytes: Buffer
}

interface Row {
  /** Method and pattern, as in the OpenAPI document. */
  route: string
  what?: string
  ask(fixture: Fixture, caller: Caller): Promise<Response>
  /** For lists: whether this response contains the photo. */
  names?(body: unknown, photo: PhotoResponse): boolean
  /** The purpose of the photo. Default: gallery. */
  purpose?: 'metadata'
  /** The states that can matter. Default: all. */
  states?: State[]
  /** Callers that succeed change the photo; the others never do. */
  changes?: true
  /** The outcome depends on who else has uploaded the file. */
  needsNew?: true
  /** What administrators need a recent password for. */
  password?: 'to succeed'
  expected: Record<State, Cells>
}

let media: TestMedia
let redis: ReturnType<typeof openRedis>
beforeAll(async () => {
  media = await startTestMedia()
  redis = openRedis(media.env.REDIS_URL ?? '', 'test')
  const folders = media.folders()
  folders.set(PRIVATE_FOLDER, 1, false)
  folders.set(PUBLIC_FOLDER, 1, true)
  const revision = 1
  const suspended = { id: FOLDER_OF_SUSPENDED, userId: 1, isPublic: true, ownerSuspended: true }
  folders.known.set(FOLDER_OF_SUSPENDED, { ...suspended, revision, visibilityRevision: revision })
  folders.set(ownFolder.owner, 1, false)
  folders.set(ownFolder.other, 2, false)
  folders.set(ownFolder.admin, admin.userId ?? 0, false)
})
afterAll(async () => {
  redis.disconnect()
  await media.close()
})

/** The same in every state of a photo that exists. */
function wherever(living: Cells, deleted: Cells): Record<State, Cells> {
  return Object.fromEntries(states.map((state) => [state, state === 'deleted' ? deleted : living])) as never
}

const bytesOf: Record<State, Cells> = {
  'without a folder': cells(404, 404, 200, 200),
  'in a private folder': cells(404, 404, 200, 200),
  'in a public folder': cells(200, 200, 200, 200),
  'private in a public folder': cells(404, 404, 200, 200),
  // The gateway ends the sessions of a suspended user; the service itself knows the owner.
  'in a public folder of a suspended owner': cells(404, 404, 200, 200),
  deleted: cells(404, 404, 404, 404),
}
/** Without the folder's link, which the callers of this table do not have: see link-rights.test.ts. */
const bytesWithoutLink: Record<State, Cells> = { ...bytesOf, 'in a public folder': cells(404, 404, 200, 200) }
const ownersChange = wherever(cells(401, 404, 200, 404), cells(401, 404, 404, 404))
const ownersDelete = wherever(cells(401, 404, 204, 204), cells(401, 404, 404, 404))
const ownersList = wherever(
  cells(401, 'not named', 'named', 'not named'),
  cells(401, 'not named', 'not named', 'not named'),
)
const nobodyLists = wherever(
  cells(401, 'not named', 'not named', 'not named'),
  cells(401, 'not named', 'not named', 'not named'),
)
const ownersAndAdminsList = wherever(
  cells(401, 'not named', 'named', 'named'),
  cells(401, 'not named', 'not named', 'not named'),
)

function send(caller: Caller, method: string, path: string, body?: unknown): Promise<Response> {
  const who = identities[caller]
  if (body === undefined) return media.call(path, who, { method })
  if (body instanceof FormData) return media.call(path, who, { method, body })
  return media.call(path, who, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
}

function form(field: string, bytes: Buffer, folderId: number | null): FormData {
  const body = new FormData()
  if (folderId !== null) body.append('folderId', String(folderId))
  body.append(field, new Blob([new Uint8Array(bytes)]), 'again.jpg')
  return body
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const isListed = (body: unknown, photo: PhotoResponse) => (body as { id: number }[]).some(({ id }) => id === photo.id)
const isDone = (body: unknown, photo: PhotoResponse) => (body as { done: number[] }).done.includes(photo.id)
const isPoint = (body: unknown, photo: PhotoResponse) =>
  (body as { points: { photo: { id: number } }[] }).points.some((point) => point.photo.id === photo.id)
const nameIn = (url: string | null) => url ?? '/api/uploads/none.webp'

/** Where a photo is, alone and far from places that have names. */
const positionOf = (id: number) => ({ latitude: -45, longitude: -150 + (id % 4000) / 100 })

/** The tile with the photo. */
function tileOf({ latitude, longitude }: PhotoResponse): string {
  const [x, y] = [worldX(Number(longitude)), worldY(Number(latitude))].map((place) =>
    Math.floor(place / 2 ** (26 - 20)),
  )
  return `/api/photos/map/20/${x}/${y}`
}

/** A session only tells which photo it became. */
const statesOfSessions: State[] = ['without a folder', 'deleted']

const table: Row[] = [
  {
    route: 'POST /api/upload-photo',
    what: 'the same file, without a folder',
    ask: ({ bytes }, caller) => send(caller, 'POST', '/api/upload-photo', form('photo', bytes, null)),
    needsNew: true,
    expected: wherever(cells(401, 201, 200, 201), cells(401, 201, 201, 201)),
  },
  {
    route: 'POST /api/upload-photos',
    what: 'the same file, into the same folder',
    ask: ({ bytes, folderId }, caller) => send(caller, 'POST', '/api/upload-photos', form('photos', bytes, folderId)),
    needsNew: true,
    expected: {
      ...wherever(cells(401, 404, 200, 404), cells(401, 404, 201, 404)),
      'without a folder': cells(401, 201, 200, 201),
    },
  },
  {
    // Of the same file.
    route: 'POST /api/upload-sessions',
    ask: ({ bytes }, caller) => send(caller, 'POST', '/api/upload-sessions', { files: [declare(bytes)] }),
    names: (body, photo) => (body as { results: { photoId?: number }[] }).results[0]?.photoId === photo.id,
    expected: ownersList,
  },
  {
    // Sessions with a photo are completed; this one lists open ones.
    route: 'GET /api/upload-sessions',
    states: statesOfSessions,
    ask: (_fixture, caller) => send(caller, 'GET', '/api/upload-sessions'),
    names: (body, photo) =>
      (body as { sessions: { photoId: number }[] }).sessions.some(({ photoId }) => photoId === photo.id),
    expected: nobodyLists,
  },
  {
    route: 'GET /api/upload-sessions/{id}',
    states: statesOfSessions,
    ask: async ({ photo }, caller) => send(caller, 'GET', `/api/upload-sessions/${await completedSession(photo)}`),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 200, 404)),
  },
  {
    route: 'POST /api/upload-sessions/{id}/urls',
    states: statesOfSessions,
    ask: async ({ photo }, caller) =>
      send(caller, 'POST', `/api/upload-sessions/${await completedSession(photo)}/urls`, { parts: [1] }),
    expected: wherever(cells(401, 404, 409, 404), cells(401, 404, 409, 404)),
  },
  {
    route: 'PUT /api/upload-sessions/{id}/parts/{number}',
    states: statesOfSessions,
    ask: async ({ photo, bytes }, caller) =>
      media.call(`/api/upload-sessions/${await completedSession(photo)}/parts/1`, identities[caller], {
        ...{ method: 'PUT', body: new Uint8Array(bytes) },
        headers: { 'content-type': 'application/octet-stream' },
      }),
    expected: wherever(cells(401, 404, 409, 404), cells(401, 404, 409, 404)),
  },
  {
    route: 'POST /api/upload-sessions/{id}/complete',
    states: statesOfSessions,
    ask: async ({ photo }, caller) =>
      send(caller, 'POST', `/api/upload-sessions/${await completedSession(photo)}/complete`, {}),
    expected: wherever(cells(401, 404, 201, 404), cells(401, 404, 409, 404)),
  },
  {
    // Nothing that others have is deleted.
    route: 'DELETE /api/upload-sessions/{id}',
    states: statesOfSessions,
    ask: async ({ photo }, caller) => send(caller, 'DELETE', `/api/upload-sessions/${await completedSession(photo)}`),
    expected: wherever(cells(401, 204, 204, 204), cells(401, 204, 204, 204)),
  },
  {
    route: 'GET /api/photos',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos'),
    names: isListed,
    expected: ownersList,
  },
  {
    route: 'GET /api/photos',
    what: 'by its id',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos?ids=${photo.id}`),
    names: isListed,
    expected: ownersList,
  },
  {
    route: 'GET /api/photos',
    what: 'by its text',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos?q=${photo.title}&limit=500`),
    names: isListed,
    expected: ownersList,
  },
  {
    // Places are counts and contain no photo.
    route: 'GET /api/photos/places',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/places'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    // So are cameras.
    route: 'GET /api/photos/cameras',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/cameras'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    // And months.
    route: 'GET /api/photos/months',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/months'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'GET /api/photos/{id}/index',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos/${photo.id}/index`),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 404, 404)),
  },
  {
    // Numbers of the caller's own; test/flight-routes.test.ts compares them.
    route: 'GET /api/flights',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/flights'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'GET /api/flights/{id}',
    ask: async ({ photo }, caller) => send(caller, 'GET', `/api/flights/${await flightOf(photo)}`),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'GET /api/photos/track',
    ask: async ({ photo }, caller) =>
      send(caller, 'GET', `/api/photos/track?format=geojson&flight=${await flightOf(photo)}`),
    names: (body, photo) =>
      (body as { features: { properties: { id: number } }[] }).features.some(
        ({ properties }) => properties.id === photo.id,
      ),
    expected: ownersList,
  },
  {
    route: 'GET /api/photos/map/{z}/{x}/{y}',
    ask: ({ photo }, caller) => send(caller, 'GET', tileOf(photo)),
    names: isPoint,
    expected: ownersList,
  },
  {
    route: 'GET /api/photos/map/{z}/{x}/{y}',
    what: 'by its folder',
    ask: ({ photo, folderId }, caller) => send(caller, 'GET', `${tileOf(photo)}?folder=${folderId ?? 'none'}`),
    names: isPoint,
    expected: ownersList,
  },
  {
    route: 'GET /api/photos/map/{z}/{x}/{y}',
    what: "one of the metadata screen's",
    purpose: 'metadata',
    ask: ({ photo }, caller) => send(caller, 'GET', tileOf(photo)),
    names: isPoint,
    expected: nobodyLists,
  },
  {
    route: 'GET /api/photos/map/extent',
    ask: ({ photo }, caller) =>
      send(caller, 'GET', `/api/photos/map/extent?near=${photo.latitude},${photo.longitude},1`),
    names: (body) => (body as { count: number }).count > 0,
    expected: ownersList,
  },
  {
    // The map under the photos has none.
    route: 'GET /api/map/base/{version}/{z}/{x}/{y}',
    ask: (_fixture, caller) => send(caller, 'GET', `/api/map/base/${'0'.repeat(16)}/0/0/0`),
    expected: wherever(cells(200, 200, 200, 200), cells(200, 200, 200, 200)),
  },
  {
    // Exports are of the caller's own data; test/exports.test.ts requests those of others.
    route: 'POST /api/user/export',
    ask: (_fixture, caller) => send(caller, 'POST', '/api/user/export'),
    expected: wherever(cells(401, 202, 202, 202), cells(401, 202, 202, 202)),
  },
  {
    route: 'GET /api/user/export',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/user/export'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'GET /api/admin/failed-jobs',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/admin/failed-jobs'),
    expected: wherever(cells(401, 403, 403, 200), cells(401, 403, 403, 200)),
  },
  {
    route: 'POST /api/admin/failed-jobs/{queue}/{id}/retry',
    ask: (_fixture, caller) => send(caller, 'POST', '/api/admin/failed-jobs/photos/photo-1-0/retry'),
    expected: wherever(cells(401, 403, 403, 404), cells(401, 403, 403, 404)),
  },
  {
    route: 'GET /api/user/export/{id}',
    ask: (_fixture, caller) => send(caller, 'GET', `/api/user/export/${'0'.repeat(32)}`),
    expected: wherever(cells(401, 404, 404, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'POST /api/photos/downloads',
    ask: ({ photo }, caller) => send(caller, 'POST', '/api/photos/downloads', { ids: [photo.id] }),
    expected: wherever(cells(401, 404, 201, 404), cells(401, 404, 404, 404)),
  },
  {
    // A ticket of user 1.
    route: 'POST /api/photos/downloads/{id}/{size}',
    ask: async ({ photo }, caller) => send(caller, 'POST', await downloadOf(photo)),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 200, 404)),
  },
  {
    route: 'GET /api/photos/downloads/{id}/{size}',
    ask: async ({ photo }, caller) => send(caller, 'GET', await downloadOf(photo)),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 410, 404)),
  },
  {
    // Whoever has the link; what each gives is in link-states.test.ts.
    route: 'POST /api/share/{shareCode}/download',
    ask: ({ photo }, caller) =>
      send(caller, 'POST', `/api/share/code-of-${photo.folderId}/download`, { ids: [photo.id] }),
    expected: {
      ...wherever(cells(404, 404, 404, 404), cells(404, 404, 404, 404)),
      'in a public folder': cells(201, 201, 201, 201),
    },
  },
  {
    route: 'GET /api/share/{shareCode}/downloads/{id}',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/share/code-of-${photo.folderId}/downloads/${newId()}`),
    expected: wherever(cells(404, 404, 404, 404), cells(404, 404, 404, 404)),
  },
  {
    // Amounts of the caller's own photos.
    route: 'GET /api/photos/storage',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/storage'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'GET /api/photos/metadata',
    what: "a photo of the gallery is not among the metadata screen's",
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/metadata'),
    names: isListed,
    expected: nobodyLists,
  },
  {
    route: 'GET /api/photos/metadata',
    what: "one of the metadata screen's",
    purpose: 'metadata',
    ask: (_fixture, caller) => send(caller, 'GET', '/api/photos/metadata'),
    names: isListed,
    expected: ownersList,
  },
  {
    route: 'GET /api/photos/metadata/{id}',
    what: 'a photo of the gallery is none',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos/metadata/${photo.id}`),
    expected: wherever(cells(401, 404, 404, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'GET /api/photos/metadata/{id}',
    what: "one of the metadata screen's",
    purpose: 'metadata',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos/metadata/${photo.id}`),
    expected: wherever(cells(401, 404, 200, 404), cells(401, 404, 404, 404)),
  },
  {
    route: 'DELETE /api/photos/metadata',
    what: 'leaves photos of the gallery',
    ask: (_fixture, caller) => send(caller, 'DELETE', '/api/photos/metadata'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'DELETE /api/photos/metadata',
    what: "deletes the caller's own",
    purpose: 'metadata',
    ask: (_fixture, caller) => send(caller, 'DELETE', '/api/photos/metadata'),
    names: (body) => (body as { deletedCount: number }).deletedCount > 0,
    changes: true,
    expected: ownersList,
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: "the original of one of the metadata screen's",
    purpose: 'metadata',
    ask: ({ photo }, caller) => send(caller, 'GET', photo.url),
    expected: wherever(cells(404, 404, 200, 200), cells(404, 404, 404, 404)),
  },
  {
    route: 'GET /api/folders/{id}/photos',
    ask: ({ folderId }, caller) => send(caller, 'GET', `/api/folders/${folderId ?? 404}/photos`),
    names: isListed,
    expected: {
      ...wherever(cells(401, 404, 'named', 'named'), cells(401, 404, 'not named', 'not named')),
      'without a folder': cells(401, 404, 404, 404),
    },
  },
  {
    route: 'POST /api/photos/known',
    ask: ({ bytes }, caller) => send(caller, 'POST', '/api/photos/known', { hashes: [sha256(bytes)] }),
    names: (body, photo) => Object.values((body as { known: object }).known).includes(photo.id),
    expected: ownersList,
  },
  {
    route: 'POST /api/photos/status',
    ask: ({ photo }, caller) => send(caller, 'POST', '/api/photos/status', { ids: [photo.id] }),
    names: isListed,
    expected: ownersList,
  },
  {
    route: 'POST /api/photos/placed-before',
    ask: async ({ photo }, caller) => {
      await takenBefore(photo)
      return send(caller, 'POST', '/api/photos/placed-before', { ids: [photo.id] })
    },
    names: isListed,
    expected: ownersList,
  },
  {
    route: 'PATCH /api/photos/{id}/folder',
    what: "into the caller's own folder",
    ask: ({ photo }, caller) =>
      send(caller, 'PATCH', `/api/photos/${photo.id}/folder`, { folderId: ownFolder[caller] }),
    changes: true,
    expected: ownersChange,
  },
  {
    route: 'PATCH /api/photos/{id}/privacy',
    ask: ({ photo }, caller) => send(caller, 'PATCH', `/api/photos/${photo.id}/privacy`, { isPublic: !photo.isPublic }),
    changes: true,
    expected: ownersChange,
  },
  {
    route: 'POST /api/photos/{id}/reprocess',
    ask: ({ photo }, caller) => send(caller, 'POST', `/api/photos/${photo.id}/reprocess`),
    changes: true,
    expected: ownersChange,
  },
  {
    route: 'PATCH /api/photos/{id}',
    ask: ({ photo }, caller) => send(caller, 'PATCH', `/api/photos/${photo.id}`, { title: 'Another title' }),
    changes: true,
    expected: ownersChange,
  },
  {
    // It changes the caller's photos and names none.
    route: 'POST /api/photos/geocode-update',
    ask: (_fixture, caller) => send(caller, 'POST', '/api/photos/geocode-update'),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'POST /api/geocode',
    ask: (_fixture, caller) => send(caller, 'POST', '/api/geocode', { query: 'Duluth, MN' }),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'DELETE /api/photos/{id}',
    ask: ({ photo }, caller) => send(caller, 'DELETE', `/api/photos/${photo.id}`),
    changes: true,
    password: 'to succeed',
    expected: ownersDelete,
  },
  {
    // It counts the caller's photos and names none.
    route: 'POST /api/photos/count',
    ask: (_fixture, caller) => send(caller, 'POST', '/api/photos/count', { filter: {} }),
    expected: wherever(cells(401, 200, 200, 200), cells(401, 200, 200, 200)),
  },
  {
    route: 'POST /api/photos/bulk',
    what: "move into the caller's own folder",
    ask: ({ photo }, caller) =>
      send(caller, 'POST', '/api/photos/bulk', { ids: [photo.id], action: 'move', folderId: ownFolder[caller] }),
    names: isDone,
    changes: true,
    expected: ownersList,
  },
  {
    route: 'POST /api/photos/bulk',
    what: 'privacy',
    ask: ({ photo }, caller) =>
      send(caller, 'POST', '/api/photos/bulk', { ids: [photo.id], action: 'privacy', isPublic: !photo.isPublic }),
    names: isDone,
    changes: true,
    expected: ownersList,
  },
  {
    route: 'POST /api/photos/bulk',
    what: "restore into the caller's own folder",
    ask: ({ photo }, caller) =>
      send(caller, 'POST', '/api/photos/bulk', {
        ids: [photo.id],
        action: 'restore',
        folderId: ownFolder[caller],
        isPublic: !photo.isPublic,
      }),
    names: isDone,
    changes: true,
    expected: ownersList,
  },
  {
    route: 'POST /api/photos/bulk',
    what: 'position',
    ask: ({ photo }, caller) =>
      send(caller, 'POST', '/api/photos/bulk', { ids: [photo.id], action: 'position', latitude: 1, longitude: 2 }),
    names: isDone,
    changes: true,
    expected: ownersList,
  },
  {
    route: 'PUT /api/photos/positions',
    ask: ({ photo }, caller) =>
      send(caller, 'PUT', '/api/photos/positions', {
        positions: [{ id: photo.id, position: { latitude: 1, longitude: 2 } }],
      }),
    names: (body, photo) => (body as { before: PhotoResponse[] }).before.some(({ id }) => id === photo.id),
    changes: true,
    expected: ownersList,
  },
  {
    route: 'PUT /api/folders/{id}/order',
    ask: ({ photo, folderId }, caller) => send(caller, 'PUT', `/api/folders/${folderId}/order`, { ids: [photo.id] }),
    changes: true,
    states: states.filter((state) => state !== 'without a folder'),
    expected: wherever(cells(401, 404, 204, 404), cells(401, 404, 400, 404)),
  },
  {
    route: 'POST /api/photos/bulk',
    what: 'delete',
    ask: ({ photo }, caller) => send(caller, 'POST', '/api/photos/bulk', { ids: [photo.id], action: 'delete' }),
    names: isDone,
    changes: true,
    password: 'to succeed',
    expected: ownersAndAdminsList,
  },
  {
    // It depends on no photo. The worker, which would convert the image, does not run.
    route: 'POST /api/walgreens/upload-image',
    what: 'a file that is no image',
    ask: (_fixture, caller) =>
      send(caller, 'POST', '/api/walgreens/upload-image', form('image', Buffer.from('no image at all'), null)),
    expected: wherever(cells(401, 415, 415, 415), cells(401, 415, 415, 415)),
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: 'a print image of the photo, by its signed name, which outlives the photo',
    ask: async (_fixture, caller) => send(caller, 'GET', `/api/uploads/${await printImage(HOUR)}`),
    expected: wherever(cells(200, 200, 200, 200), cells(200, 200, 200, 200)),
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: 'a print image that has expired',
    ask: async (_fixture, caller) => send(caller, 'GET', `/api/uploads/${await printImage(-HOUR)}`),
    expected: wherever(cells(404, 404, 404, 404), cells(404, 404, 404, 404)),
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: 'the original',
    ask: ({ photo }, caller) => send(caller, 'GET', photo.url),
    expected: bytesOf,
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: 'the thumbnail',
    ask: ({ photo }, caller) => send(caller, 'GET', nameIn(photo.thumbnailUrl)),
    expected: bytesOf,
  },
  {
    route: 'GET /api/uploads/{filename}',
    what: 'the preview',
    ask: ({ photo }, caller) => send(caller, 'GET', nameIn(photo.previewUrl)),
    expected: bytesOf,
  },
  {
    route: 'GET /api/photos/{id}/image',
    what: 'without a link',
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos/${photo.id}/image`),
    expected: bytesWithoutLink,
  },
  {
    route: 'GET /picture-states/{filename}',
    ask: ({ photo }, caller) => media.pictureState(nameIn(photo.previewUrl), identities[caller]),
    expected: bytesOf,
  },
  {
    // Without the gateway's signature of the batch. Each request in one has an identity of its own.
    route: 'POST /internal/batches/v1/GET/picture-states/{filename}',
    ask: (_fixture, caller) => send(caller, 'POST', '/internal/batches/v1/GET/picture-states/:filename', []),
    expected: wherever(cells(401, 401, 401, 401), cells(401, 401, 401, 401)),
  },
  {
    // For the gateway alone, which asks for the state before; it routes no public request here.
    route: 'GET /picture-bytes/{name}',
    ask: ({ photo }, caller) =>
      send(caller, 'GET', nameIn(photo.previewUrl).replace('/api/uploads/', '/picture-bytes/')),
    expected: wherever(cells(200, 200, 200, 200), cells(200, 200, 200, 200)),
  },
]

/** The flight of a photo of user 1, if it exists. */
async function flightOf({ id }: PhotoResponse): Promise<number> {
  await regroupChanges(media.pool, 1)
  const { rows } = await media.pool.query('SELECT flight_id FROM flight_photos WHERE photo_id = $1', [id])
  return rows[0]?.flight_id ?? id
}

/** A photo of user 1 with a position that was taken a minute before. */
async function takenBefore({ id }: PhotoResponse): Promise<void> {
  const data = {
    title: '',
    filename: newId(),
    originalName: '',
    filesize: 1,
    sha256: newId(),
    dateTaken: '2025-12-31T23:59:00',
  }
  await media.db.photo.create({ data: { userId: 1, ...positionOf(id), ...data } })
}

async function rendition(): Promise<string> {
  const name = `${newId()}.webp`
  await media.store.put(renditionKey(name), Readable.from([Buffer.from(name)]), { contentType: 'image/webp' })
  return name
}

/** A session of user 1 that became this photo. */
async function completedSession({ id: photoId, filesize }: PhotoResponse): Promise<string> {
  const id = newId()
  await media.pool.query(
    `INSERT INTO upload_sessions (id, user_id, name, size, sha256, part_bytes, part_hashes, object_id, upload_id, state,
      photo_id, duplicate, expires_at)
    VALUES ($1, 1, 'a.jpg', $2, $3, 5242880, decode($3, 'hex'), $1, 'none', 'completed', $4, false, now() + interval '1 hour')`,
    [id, filesize, 'ab'.repeat(32), photoId],
  )
  return id
}

/** The URL of a prepared download of user 1 with this photo. */
async function downloadOf(photo: PhotoResponse): Promise<string> {
  const id = newId()
  const ticket = { userId: '1', name: 'photos', photoIds: String(photo.id), original: 'prepared' }
  await redis.hset(`media:download:${id}`, ticket)
  return `/api/photos/downloads/${id}/original`
}

const HOUR = 3_600_000

/** The name of an image of user 1 that expires in so many milliseconds. */
async function printImage(expiresIn: number): Promise<string> {
  const id = newId()
  await media.store.put(printImageKey(id), Readable.from([Buffer.from(id)]), { contentType: 'image/jpeg' })
  return createPrintImageNames([PRINT_IMAGE_KEYS]).sign(id, new Date(Date.now() + expiresIn))
}

/** Creates a processed photo of user 1 in this state, as the list returned it while it existed. */
async function makePhoto(state: State): Promise<Fixture> {
  const bytes = await jpeg()
  const folderId = folderFor[state]
  const { id } = await media.upload(1, folderId === null ? {} : { folderId: String(folderId) }, bytes)
  const files = { thumbnail: await rendition(), preview: await rendition() }
  const data = { ...positionOf(id), ...files, status: 'ready', dateTaken: '2026-01-01T00:00:00' }
  await media.db.photo.update({ where: { id }, data })
  if (state === 'private in a public folder')
    await send('owner', 'PATCH', `/api/photos/${id}/privacy`, { isPublic: false })
  const [photo] = await media.json<PhotoResponse[]>(`/api/photos?ids=${id}`, user(1))
  if (!photo) throw new Error('the photo is missing')
  if (state === 'deleted') await send('owner', 'DELETE', `/api/photos/${id}`)
  return { photo, folderId, bytes }
}

/** Creates the only processed photo of user 1's metadata screen; it is in no folder, whatever the state. */
async function makeMetadataPhoto(state: State): Promise<Fixture> {
  await send('owner', 'DELETE', '/api/photos/metadata')
  const bytes = await jpeg()
  const { id } = await media.upload(1, { metadata: 'true' }, bytes)
  const data = { ...positionOf(id), status: 'ready', thumbnail: await rendition(), preview: await rendition() }
  const photo = toPhotoResponse(await media.db.photo.update({ where: { id }, data }), null)
  if (state === 'deleted') await send('owner', 'DELETE', '/api/photos/metadata')
  return { photo, folderId: null, bytes }
}

const expected = (row: Row, state: State, caller: Caller) => outcomeFor(row.password, row.expected[state], caller)

testRights({
  // There is one photo of the metadata screen at a time.
  table: table.map((row): Row => (row.purpose === 'metadata' ? { ...row, needsNew: true } : row)),
  callers: CALLERS,
  statesOf: (row) => row.states ?? states,
  expected,
  changes: (row, state, caller) => row.changes === true && succeeds(expected(row, state, caller)),
  makeFixture: (state, { purpose }) => (purpose === 'metadata' ? makeMetadataPhoto(state) : makePhoto(state)),
  recordOf: ({ photo }) => media.db.photo.findUnique({ where: { id: photo.id } }),
  prepare: async (row, fixture, caller) => async () => {
    const response = await row.ask(fixture, caller)
    if (row.names && response.ok) return row.names(await response.json(), fixture.photo) ? 'named' : 'not named'
    await response.arrayBuffer()
    return response.status
  },
  app: () => media.app,
})
