import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { jpeg } from '../../services/media/test/support.ts'
import { type PictureRequest, watchPictures } from '../checks/shared-cache/watch-pictures.ts'
import { openProcesses, type Processes } from './processes.ts'

// Who gets a picture, through the public port of the whole system: whom the links allow, and for how long after a change.

const OWNER = 7
/** After this no cache may give what the last change forbids. */
const WITHIN_MS = 1_000

interface Photo {
  id: number
  status: string
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
}

interface Folder {
  id: number
  shareCode: string
  /** With stored names, as the owner sees them. */
  photos: Photo[]
}

let system: Processes

beforeAll(async () => {
  // While a server hangs, the processes would log every picture that they cannot give.
  system = await openProcesses({ LOG_LEVEL: 'silent' })
  await system.start('gateway', 'media', 'folders', 'media-worker')
})
afterAll(() => system.close())

async function asOwner<T>(method: string, path: string, body?: object): Promise<T> {
  const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const init = body instanceof FormData ? { body } : body ? json : {}
  const response = await system.call(OWNER, path, { method, ...init })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text ? JSON.parse(text) : undefined) as T
}

/** Of a stranger. */
async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(system.url + path, { headers })
  await response.arrayBuffer()
  return response.status
}

/** A folder of processed photos; resolves when a public one shows them. */
async function makeFolder({ photos: count = 1, isPublic = true } = {}): Promise<Folder> {
  const { id, shareCode } = await asOwner<Folder>('POST', '/api/folders', { name: 'Lake', isPublic })
  const form = new FormData()
  form.set('folderId', `${id}`)
  for (let index = 0; index < count; index += 1)
    form.append('photos', new Blob([new Uint8Array(await jpeg(1400, 900))]), `${index}.jpg`)
  const { photos } = await asOwner<{ photos: Photo[] }>('POST', '/api/upload-photos', form)
  const processed = await untilProcessed(new Set(photos.map((photo) => photo.id)))
  const shown = async () => (await openLink(shareCode)).photos.filter(({ previewUrl }) => previewUrl).length === count
  if (isPublic) await waitFor(shown, { what: 'the photos are shown' })
  return { id, shareCode, photos: processed }
}

function untilProcessed(ids: Set<number>): Promise<Photo[]> {
  const ready = async () => {
    const photos = (await asOwner<Photo[]>('GET', '/api/photos')).filter(({ id }) => ids.has(id))
    return photos.every(({ status }) => status === 'ready') && photos
  }
  return waitFor(ready, { what: 'the photos are processed', timeoutMs: 60_000 })
}

/** What a browser has after it has opened the link: photos with public names, and a cookie. */
async function openLink(shareCode: string): Promise<{ photos: Photo[]; cookie: string }> {
  const response = await fetch(`${system.url}/api/share/${shareCode}`)
  if (!response.ok) throw new Error(`share: ${response.status}`)
  const { photos } = (await response.json()) as { photos: Photo[] }
  const cookie = response.headers.getSetCookie().map((text) => text.split(';')[0])
  return { photos, cookie: cookie.join('; ') }
}

function urlsOf({ url, smallUrl, thumbnailUrl, mediumUrl, previewUrl }: Photo): string[] {
  return [url, smallUrl, thumbnailUrl, mediumUrl, previewUrl].filter((one) => one !== null)
}

const imageOf = ({ id }: { id: number }) => `/api/photos/${id}/image`

test('who counts ids or guesses names gets nothing; who has the link gets the pictures of its folder only', async () => {
  const lake = await makeFolder({ photos: 2 })
  const others = [await makeFolder(), await makeFolder({ isPublic: false })]
  const all = [lake, ...others].flatMap(({ photos }) => photos)
  const ids = Array.from({ length: Math.max(...all.map(({ id }) => id)) + 3 }, (_, index) => ({ id: index + 1 }))
  const { photos, cookie } = await openLink(lake.shareCode)
  const opened = async (headers: Record<string, string>) => {
    const statuses = await Promise.all(ids.map((photo) => statusOf(imageOf(photo), headers)))
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    return ids.filter((_, index) => statuses[index] === 200).map(({ id }) => id)
  }
  const ofLake = lake.photos.map(({ id }) => id).sort((a, b) => a - b)

  expect(await opened({})).toEqual([])
  expect(await opened({ cookie })).toEqual(ofLake)
  expect(await opened({ 'x-share-code': lake.shareCode })).toEqual(ofLake)
  expect(await opened({ 'x-share-code': 'x'.repeat(lake.shareCode.length) })).toEqual([])

  const names = photos.flatMap(urlsOf)
  expect(names).toHaveLength(10)
  const stored = lake.photos.flatMap(urlsOf)
  expect(names.filter((name) => stored.includes(name))).toEqual([])
  expect(new Set(await Promise.all(names.map((name) => statusOf(name))))).toEqual(new Set([200]))
  const guesses = [...names.flatMap(namesLike), ...ids.flatMap((photo) => inventedNames(photo.id, lake.id))]
  const guessed = await Promise.all(guesses.map((name) => statusOf(name)))
  expect(guesses.filter((_, index) => guessed[index] !== 404)).toEqual([])
})

/** A genuine name with one part changed: photo, folder, link revision, kind, signature, extension. */
function namesLike(name: string): string[] {
  const [, prefix, parts, signature, extension] = /^(.*\/s-)(.*)-([\w-]{22})\.(\w+)$/.exec(name) as RegExpExecArray
  const fields = `${parts}`.split('-')
  const changed = fields.flatMap((field, index) => {
    const values = index === 3 ? ['o', 's', 't', 'm', 'p'] : ['0', '1', '2', '3', `0${field}`]
    return values.filter((value) => value !== field).map((value) => fields.with(index, value).join('-'))
  })
  const letter = `${signature}`.startsWith('A') ? 'B' : 'A'
  return [
    ...changed.map((text) => `${prefix}${text}-${signature}.${extension}`),
    `${prefix}${parts}-${letter}${signature?.slice(1)}.${extension}`,
    `${prefix}${parts}-${signature}.${extension === 'png' ? 'jpg' : 'png'}`,
  ]
}

function inventedNames(photoId: number, folderId: number): string[] {
  const parts = `${photoId.toString(36)}-${folderId.toString(36)}-1`
  return ['o', 's', 't', 'm', 'p'].map((kind) => `/api/uploads/s-${parts}-${kind}-${'A'.repeat(22)}.webp`)
}

/** All ways to the pictures of a folder's first photo: names, revalidations, ranges, by id; stored names if `storedNames`. */
async function waysTo(folder: Folder, { storedNames = true } = {}): Promise<PictureRequest[]> {
  const { photos, cookie } = await openLink(folder.shareCode)
  const [photo] = photos as [Photo]
  const thumbnail = photo.thumbnailUrl as string
  const etag = (await fetch(system.url + thumbnail)).headers.get('etag')
  return [
    ...urlsOf(photo).map((path) => ({ path })),
    ...(storedNames ? urlsOf(folder.photos[0] as Photo).map((path) => ({ path })) : []),
    { path: thumbnail, headers: { 'if-none-match': `${etag}` } },
    { path: thumbnail, method: 'HEAD' },
    { path: photo.url, headers: { range: 'bytes=0-9' } },
    { path: imageOf(photo), headers: { cookie } },
    { path: imageOf(photo), headers: { 'x-share-code': folder.shareCode } },
  ]
}

async function watch(requests: PictureRequest[]) {
  const watched = watchPictures(system.url, requests)
  onTestFinished(() => watched.stop())
  await watched.untilServed()
  return watched
}

const first = ({ photos }: Folder) => `/api/photos/${photos[0]?.id}`
const withdraw = ({ id }: Folder) => asOwner('PUT', `/api/folders/${id}`, { isPublic: false })
const publish = ({ id }: Folder) => asOwner('PUT', `/api/folders/${id}`, { isPublic: true })
const renew = ({ id }: Folder) => asOwner<Folder>('POST', `/api/folders/${id}/share-code`)

test.each([
  ['of a folder that was made private', withdraw],
  [
    'of a photo that was made private',
    (folder: Folder) => asOwner('PATCH', `${first(folder)}/privacy`, { isPublic: false }),
  ],
  [
    'of a photo that left the folder',
    (folder: Folder) => asOwner('PATCH', `${first(folder)}/folder`, { folderId: null }),
  ],
  ['of a photo that was deleted', (folder: Folder) => asOwner('DELETE', first(folder))],
])('no picture %s is served a second after the response to the change', async (_what, change) => {
  const folder = await makeFolder()
  const watched = await watch(await waysTo(folder))
  await change(folder)
  expect(await watched.statusesFrom(performance.now() + WITHIN_MS)).toEqual([404])
})

test('a second after the link was renewed nothing of the old one works, and the new one opens all', async () => {
  const folder = await makeFolder()
  const watched = await watch(await waysTo(folder, { storedNames: false }))
  const renewed = { ...folder, ...(await renew(folder)), photos: folder.photos }
  const since = performance.now() + WITHIN_MS
  const ofNewLink = await watch(await waysTo(renewed))
  expect(await watched.statusesFrom(since)).toEqual([404])
  expect((await ofNewLink.statusesFrom(since)).filter((status) => status >= 400)).toEqual([])
})

const server = (name: 'nats' | 'postgres') => ({
  freeze: () => system[name].freeze(),
  thaw: () => system[name].thaw(),
})
const media = { freeze: () => system.freeze('media'), thaw: () => system.thaw('media') }
const all = () => true
/** What media would stream itself waits for it like every other route, for up to a minute. */
const fromMemory = ({ path, method, headers }: PictureRequest) => path.endsWith('.webp') && !method && !headers?.range

test.each([
  ['NATS', server('nats'), 'during', all],
  ['PostgreSQL', server('postgres'), 'before', all],
  ['media', media, 'during', fromMemory],
])('while %s hangs, pictures of a withdrawn link are 503, and afterwards 404 without a restart', async (...row) => {
  const [, hanging, withdrawn, chosen] = row
  const folder = await makeFolder()
  const watched = await watch((await waysTo(folder)).filter(chosen))
  onTestFinished(() => void hanging.thaw())
  if (withdrawn === 'before') await withdraw(folder)
  hanging.freeze()
  if (withdrawn === 'during') await withdraw(folder)
  const statuses = await watched.statusesFrom(performance.now() + WITHIN_MS)
  expect(statuses).toContain(503)
  expect(statuses.filter((status) => status !== 503 && status !== 404)).toEqual([])

  hanging.thaw()
  const gone = async () => (await watched.statusesFrom(performance.now())).join() === '404'
  await waitFor(gone, { what: 'the pictures are gone' })
  await publish(folder)
  await watched.untilServed()
})
