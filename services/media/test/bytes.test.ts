import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Identity } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { admin, jpeg, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let bytes: Buffer
const log: string[] = []
beforeAll(async () => {
  media = await startTestMedia({ onLog: (line) => void log.push(line) })
  folders = media.folders()
})
beforeEach(async () => {
  bytes = await jpeg(640, 480)
})
afterAll(() => media.close())

const owner = user(1)
const stranger = user(2)

/** The header that opens `/api/photos/{id}/image`. */
const linkOf = (folderId: number) => ({ 'x-share-code': `code-of-${folderId}` })
const status = async (path: string, who: Partial<Identity>, headers: Record<string, string> = {}): Promise<number> =>
  (await media.call(path, who, { headers })).status

/** Adds the renditions that the worker would make. */
async function withRenditions(photo: PhotoResponse): Promise<{ thumbnail: string; preview: string }> {
  const [thumbnail, preview] = ['a', 'b'].map((letter) => `${photo.filename.slice(0, 31)}${letter}.webp`) as [
    string,
    string,
  ]
  await media.store.put(`renditions/${thumbnail}`, Readable.from([Buffer.from('thumbnail')]), {
    contentType: 'image/webp',
  })
  await media.store.put(`renditions/${preview}`, Readable.from([Buffer.from('preview')]), { contentType: 'image/webp' })
  await media.db.photo.update({ where: { id: photo.id }, data: { thumbnail, preview, status: 'ready' } })
  return { thumbnail, preview }
}

test('serves a private photo to its owner and administrators, and 404 to others and visitors', async () => {
  const photo = await media.upload(1, { isPublic: 'true' }, bytes)
  for (const path of [photo.url, `/api/photos/${photo.id}/image`]) {
    expect(await Promise.all([owner, admin, stranger, visitor].map((who) => status(path, who)))).toEqual([
      200, 200, 404, 404,
    ])
  }
  const rejected = await (await media.call(photo.url)).json()
  expect(rejected).toEqual({ code: 'not_found', message: 'Photo not found' })
})

test('serves originals byte for byte, with headers against execution and shared caches', async () => {
  const photo = await media.upload(1, {}, bytes)
  const response = await media.call(photo.url, owner)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'content-disposition': `inline; filename="photo.jpg"; filename*=UTF-8''photo.jpg`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
})

test('logs no error for a file that it sends', async () => {
  const { body } = await media.send('/api/upload-photo', owner, [['photo', { name: 'a.jpg', bytes }]])
  log.length = 0
  const path = `/api/uploads/${body.filename}`
  for (const headers of [{}, { range: 'bytes=0-9' }, { 'if-none-match': `"${body.filename}"` }]) {
    await (await media.call(path, owner, { headers })).arrayBuffer()
  }
  // The same connection: what follows the responses has been logged.
  expect(await status('/api/uploads/nothing.jpg', owner)).toBe(404)
  expect(log.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})

test('encodes a file name so that it neither breaks the header nor is lost', async () => {
  const name = 'Überflug "Süd"; x=1\r\nSet-Cookie: a=b (1).jpg'
  const { body } = await media.send('/api/upload-photo', owner, [['photo', { name, bytes }]])
  const header = (await media.call(body.url, owner)).headers.get('content-disposition') ?? ''
  const [, plain, full] = header.match(/^inline; filename="([\w. ()-]+)"; filename\*=UTF-8''([\w.%-]+)$/) ?? []
  expect(plain).toBeDefined()
  expect(decodeURIComponent(full ?? '')).toBe(body.originalName)
  expect(body.originalName).toContain('Überflug')
})

test('serves the original as the large preview until there is one', async () => {
  const photo = await media.upload(1, {}, bytes)
  const path = `/api/photos/${photo.id}/image`
  expect((await media.call(path, owner)).headers.get('content-type')).toBe('image/jpeg')
  const { thumbnail } = await withRenditions(photo)
  const preview = await media.call(path, owner)
  expect([preview.headers.get('content-type'), await preview.text()]).toEqual(['image/webp', 'preview'])
  expect(await (await media.call(`/api/uploads/${thumbnail}`, owner)).text()).toBe('thumbnail')
})

/** Creates a photo of this format as if it had been uploaded and not yet processed. */
async function photoOf(extension: string, originalName: string) {
  const filename = `${randomBytes(16).toString('hex')}.${extension}`
  await media.store.put(originalKey(filename), Readable.from([bytes]), { contentType: 'image/x' })
  const filesize = bytes.length
  return media.db.photo.create({
    data: { userId: 1, title: 'A photo', filename, originalName, filesize, sha256: filename },
  })
}

test.each([
  ['jpg', 'image/jpeg', 'inline'],
  ['png', 'image/png', 'inline'],
  ['gif', 'image/gif', 'inline'],
  ['bmp', 'image/bmp', 'inline'],
  ['tif', 'image/tiff', 'attachment'],
  ['dng', 'image/x-adobe-dng', 'attachment'],
])('serves an original in %s as %s, %s', async (extension, type, kind) => {
  const photo = await photoOf(extension, `flight.${extension}`)
  const path = `/api/uploads/${photo.filename}`
  const { headers } = await media.call(path, owner)
  expect(headers.get('content-type')).toBe(type)
  expect(headers.get('content-disposition')).toMatch(new RegExp(`^${kind}; filename="flight.${extension}"`))
  const saved = await media.call(`${path}?download`, owner)
  expect(saved.headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="flight.${extension}"`))
  // Without a preview the image is the original, where browsers can show it.
  expect(await status(`/api/photos/${photo.id}/image`, owner)).toBe(kind === 'inline' ? 200 : 404)
})

test('never saves a file under a name with a false extension', async () => {
  const nameOf = async (originalName: string) => {
    const photo = await photoOf('jpg', originalName)
    const header = (await media.call(`/api/uploads/${photo.filename}`, owner)).headers.get('content-disposition')
    return header?.match(/filename="([^"]*)"/)?.[1]
  }
  expect(await nameOf('evil.html')).toBe('evil.html.jpg')
  expect(await nameOf('a.jpg.exe')).toBe('a.jpg.exe.jpg')
  expect(await nameOf('DJI_0001.JPG')).toBe('DJI_0001.JPG')
  expect(await nameOf('old.jpeg')).toBe('old.jpeg')
})

test.each(['nothing.jpg', '../../etc/passwd', '%2e%2e%2fx', `${'0'.repeat(32)}.jpg`, `${'0'.repeat(32)}.svg`])(
  'there is nothing under the name %s',
  async (name) => {
    expect(await status(`/api/uploads/${encodeURIComponent(name)}`, owner)).toBe(404)
  },
)

test.each(['0', '-1', 'abc', '2147483648', '1e9', '999999'])('returns 404 for the image of photo %s', async (id) => {
  expect(await status(`/api/photos/${id}/image`, owner)).toBe(404)
})

test('accepts one notation of a photo id only', async () => {
  const { id } = await media.upload(1, {}, bytes)
  expect(await status(`/api/photos/${id}/image`, owner)).toBe(200)
  const others = [`0x${id.toString(16)}`, `${id}e0`, ` ${id}`, `${id} `, `0${id}`, `+${id}`, `${id}.0`]
  const statuses = await Promise.all(
    others.map((other) => status(`/api/photos/${encodeURIComponent(other)}/image`, owner)),
  )
  expect(statuses).toEqual(others.map(() => 404))
})

test('responds 304 to a current entity tag, but only to those who may see the photo', async () => {
  const photo = await media.upload(1, {}, bytes)
  const etag = (await media.call(photo.url, owner)).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  const ask = (who: Partial<Identity>, value: string) =>
    media.call(photo.url, who, { headers: { 'if-none-match': value } })
  expect((await ask(owner, etag)).status).toBe(304)
  expect((await ask(owner, `"other", W/${etag}`)).status).toBe(304)
  expect((await ask(owner, '*')).status).toBe(304)
  expect((await ask(owner, '"other"')).status).toBe(200)
  expect((await ask(stranger, etag)).status).toBe(404)
})

test.each([
  ['bytes=0-9', 206, [0, 9]],
  ['BYTES=0-1', 206, [0, 1]],
  ['bytes=10-', 206, [10, -1]],
  ['bytes=-5', 206, [-5, -1]],
  ['bytes=5-999999999', 206, [5, -1]],
  ['bytes=-999999999', 206, [0, -1]],
  ['bytes=999999999-', 416, null],
  ['bytes=-0', 416, null],
  ['bytes=9-3', 200, [0, -1]],
  ['bytes=0-1,3-4', 200, [0, -1]],
  ['lines=1-2', 200, [0, -1]],
])('responds to the range %s with %i', async (range, expected, part) => {
  const photo = await media.upload(1, {}, bytes)
  const response = await media.call(photo.url, owner, { headers: { range } })
  expect(response.status).toBe(expected)
  const size = bytes.length
  if (part === null) {
    expect(response.headers.get('content-range')).toBe(`bytes */${size}`)
    expect([response.headers.get('etag'), await response.json()]).toEqual([
      null,
      expect.objectContaining({ code: 'range_not_satisfiable' }),
    ])
    return
  }
  const [start = 0, end = 0] = part.map((at) => (at < 0 ? size + at : at))
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true)
  expect(response.headers.get('content-range')).toBe(expected === 206 ? `bytes ${start}-${end}/${size}` : null)
})

test('sends the whole file for a range of another version', async () => {
  const photo = await media.upload(1, {}, bytes)
  const etag = (await media.call(photo.url, owner)).headers.get('etag') ?? ''
  const ask = (value: string) => media.call(photo.url, owner, { headers: { range: 'bytes=0-0', 'if-range': value } })
  expect([(await ask(etag)).status, (await ask('"old"')).status]).toEqual([206, 200])
})

test('responds to HEAD with the size and without the bytes', async () => {
  const photo = await media.upload(1, {}, bytes)
  const response = await media.call(photo.url, owner, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  const ofPart = await media.call(photo.url, owner, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
  expect([ofPart.status, ofPart.headers.get('content-length')]).toEqual([200, String(bytes.length)])
})

test('serves visitors photos of public folders only, until a second after the withdrawal', async () => {
  folders.set(10, 1, true)
  const photo = await media.upload(1, { folderId: '10' }, bytes)
  const { thumbnail } = await withRenditions(photo)
  const paths = [photo.url, `/api/uploads/${thumbnail}`, `/api/photos/${photo.id}/image`]
  const seenBy = (who: Partial<Identity>) => Promise.all(paths.map((path) => status(path, who, linkOf(10))))
  expect(await seenBy(visitor)).toEqual([200, 200, 200])
  const header = (await media.call(photo.url, visitor)).headers.get('content-disposition') ?? ''
  expect(header, 'the name that the photographer gave the file').not.toContain('photo.jpg')
  expect(await seenBy(stranger)).toEqual([200, 200, 200])

  // Only the response of folders changes: no event was published.
  folders.set(10, 1, false, 2)
  const withdrawn = performance.now()
  let lastSeen = 0
  const gone = async () => {
    const asked = performance.now() - withdrawn
    if ((await status(photo.url, visitor)) === 404) return true
    lastSeen = asked
    return false
  }
  await waitFor(gone, { what: 'the link is withdrawn' })
  // However slow the machine is, a request a second later sees nothing.
  expect(lastSeen).toBeLessThan(1_000)
  expect(await seenBy(visitor)).toEqual([404, 404, 404])
  expect(await seenBy(owner)).toEqual([200, 200, 200])
})

test('hides a photo with a private own setting in a public folder, until the folder flips', async () => {
  folders.set(11, 1, true, 3)
  const photo = await media.upload(1, { isPublic: 'false' }, bytes)
  const moved = await media.json<PhotoResponse>(`/api/photos/${photo.id}/folder`, owner, 'PATCH', { folderId: 11 })
  expect(moved).toMatchObject({ folderId: 11, isPublic: false })
  expect(await media.photo(photo.id)).toMatchObject({ ownIsPublic: false, ownVisibilityRevision: 3 })
  expect(await status(photo.url, visitor)).toBe(404)

  folders.set(11, 1, true, 5)
  await waitFor(async () => (await status(photo.url, visitor)) === 200, { what: "the folder's flag holds" })
})

test('responds 503 to visitors and serves owners when folders does not respond', async () => {
  folders.set(12, 1, true)
  const photo = await media.upload(1, { folderId: '12' }, bytes)
  folders.stop()
  try {
    await waitFor(async () => (await status(photo.url, visitor)) === 503, { what: 'visitors are rejected' })
    const rejected = await media.call(photo.url, visitor)
    expect(await rejected.json()).toMatchObject({ code: 'unavailable' })
    expect(rejected.headers.get('retry-after')).toBeTruthy()
    expect(await status(photo.url, owner)).toBe(200)
    const inFolder = await media.json<PhotoResponse[]>('/api/folders/12/photos', owner)
    expect(inFolder).toEqual([expect.objectContaining({ id: photo.id, isPublic: true })])
  } finally {
    folders = media.folders()
  }
})

test('serves a whole original to a slow reader', async () => {
  const big = Buffer.concat([bytes, Buffer.alloc(5_000_000, 7)])
  const photo = await media.upload(1, {}, big)
  const response = await media.call(photo.url, owner)
  const body = Readable.fromWeb(response.body as never)
  await new Promise((resolve) => body.once('readable', resolve))
  expect((await buffer(body)).equals(big)).toBe(true)
})
