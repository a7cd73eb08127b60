import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Identity } from '@skyfolio/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, newName, printImageKey, renditionKey } from '../src/files/object-keys.ts'
import { type PhotoResponse, toPhotoResponse } from '../src/photos/photo-response.ts'
import { createPrintImageNames } from '../src/print-images/names.ts'
import { admin, jpeg, PRINT_IMAGE_KEYS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

/*
 * Who may do what with a photo: every route of media, for every kind of caller, in every state of the photo. An
 * administrator sees and may delete everybody's photos, and never acts as the owner otherwise.
 */

const callers = { anonymous: visitor, other: user(2), owner: user(1), admin }
type Caller = keyof typeof callers
/** A status, or whether a list that the caller may request contains the photo. */
type Outcome = number | 'named' | 'not named'
type Cells = Record<Caller, Outcome>

const states = [
  'without a folder',
  'in a private folder',
  'in a public folder',
  'private in a public folder',
  'deleted',
] as const
type State = (typeof states)[number]

const PRIVATE_FOLDER = 10
const PUBLIC_FOLDER = 11
const folderFor: Record<State, number | null> = {
  'without a folder': null,
  'in a private folder': PRIVATE_FOLDER,
  'in a public folder': PUBLIC_FOLDER,
  'private in a public folder': PUBLIC_FOLDER,
  deleted: PUBLIC_FOLDER,
}
/** A folder of each caller. */
const ownFolder: Record<Caller, number> = { anonymous: 12, other: 13, owner: 12, admin: 14 }

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
  /** Callers that succeed change the photo; the others never do. */
  changes?: true
  expected: Record<State, Cells>
}

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
  const folders = media.folders()
  folders.set(PRIVATE_FOLDER, 1, false)
  folders.set(PUBLIC_FOLDER, 1, true)
  folders.set(ownFolder.owner, 1, false)
  folders.set(ownFolder.other, 2, false)
  folders.set(ownFolder.admin, admin.userId ?? 0, false)
})
afterAll(() => media.close())

function cells(anonymous: Outcome, other: Outcome, owner: Outcome, admin: Outcome): Cells {
  return { anonymous, other, owner, admin }
}

/** The same in every state of a photo that exists. */
function wherever(living: Cells, deleted: Cells): Record<State, Cells> {
  return Object.fromEntries(states.map((state) => [state, state === 'deleted' ? deleted : living])) as never
}

const bytesOf: Record<State, Cells> = {
  'without a folder': cells(404, 404, 200, 200),
  'in a private folder': cells(404, 404, 200, 200),
  'in a public folder': cells(200, 200, 200, 200),
  'private in a public folder': cells(404, 404, 200, 200),
  deleted: cells(404, 404, 404, 404),
}
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
  const who: Partial<Identity> = callers[caller]
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
const nameIn = (url: string | null) => url ?? '/api/uploads/none.webp'

const table: Row[] = [
  {
    route: 'POST /api/upload-photo',
    what: 'the same file, without a folder',
    ask: ({ bytes }, caller) => send(caller, 'POST', '/api/upload-photo', form('photo', bytes, null)),
    expected: wherever(cells(401, 201, 200, 201), cells(401, 201, 201, 201)),
  },
  {
    route: 'POST /api/upload-photos',
    what: 'the same file, into the same folder',
    ask: ({ bytes, folderId }, caller) => send(caller, 'POST', '/api/upload-photos', form('photos', bytes, folderId)),
    expected: {
      ...wherever(cells(401, 404, 200, 404), cells(401, 404, 201, 404)),
      'without a folder': cells(401, 201, 200, 201),
    },
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
    what: 'delete',
    ask: ({ photo }, caller) => send(caller, 'POST', '/api/photos/bulk', { ids: [photo.id], action: 'delete' }),
    names: isDone,
    changes: true,
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
    ask: ({ photo }, caller) => send(caller, 'GET', `/api/photos/${photo.id}/image`),
    expected: bytesOf,
  },
]

async function rendition(): Promise<string> {
  const name = newName('webp')
  await media.store.put(renditionKey(name), Readable.from([Buffer.from(name)]), { contentType: 'image/webp' })
  return name
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
  const data = { status: 'ready', thumbnail: await rendition(), preview: await rendition() }
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
  const data = { status: 'ready', thumbnail: await rendition(), preview: await rendition() }
  const photo = toPhotoResponse(await media.db.photo.update({ where: { id }, data }), null)
  if (state === 'deleted') await send('owner', 'DELETE', '/api/photos/metadata')
  return { photo, folderId: null, bytes }
}

async function outcomeOf(row: Row, response: Response, photo: PhotoResponse): Promise<Outcome> {
  if (!row.names || !response.ok) {
    await response.arrayBuffer()
    return response.status
  }
  return row.names(await response.json(), photo) ? 'named' : 'not named'
}

const succeeds = (outcome: Outcome) => outcome === 'named' || (typeof outcome === 'number' && outcome < 300)

const titled = table.map((row) => ({ row, title: row.what ? `${row.route}, ${row.what}` : row.route }))

describe.each(titled)('$title', ({ row }) => {
  test.each(states)('a photo %s', async (state) => {
    for (const caller of Object.keys(callers) as Caller[]) {
      const fixture = await (row.purpose === 'metadata' ? makeMetadataPhoto(state) : makePhoto(state))
      const { photo } = fixture
      const before = await media.db.photo.findUnique({ where: { id: photo.id } })
      const expected = row.expected[state][caller]
      expect(await outcomeOf(row, await row.ask(fixture, caller), photo), caller).toBe(expected)

      const after = await media.db.photo.findUnique({ where: { id: photo.id } })
      if (row.changes && succeeds(expected)) expect(after, caller).not.toEqual(before)
      else expect(after, caller).toEqual(before)
    }
  })
})

test('has a row in the table for every route of media, and a route for every row', () => {
  const paths = (media.app.swagger() as { paths: Record<string, object> }).paths
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...new Set(table.map(({ route }) => route))].sort()).toEqual(routes.sort())
})
