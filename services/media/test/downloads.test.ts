import { once } from 'node:events'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Identity } from '@skyfolio/kit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDownloadArchive } from '../src/downloads/download-files.ts'
import { originalKey, renditionKey } from '../src/files/object-keys.ts'
import { previewChecksum, storeRenditions } from '../src/processing/save-result.ts'
import { modificationTimes, unpack, zipTime } from './export-support.ts'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const PATH = '/api/photos/downloads'

interface Ticket {
  id: string
  photos: number
  original: { photos: number; bytes: number }
  web: { photos: number; bytes: number }
}

let media: TestMedia
let nextUser = 100
let me = 0

beforeAll(async () => {
  media = await startTestMedia()
})
beforeEach(() => {
  me = nextUser++
})
afterAll(() => media.close())

const post = (path: string, body?: object, who: Partial<Identity> = user(me)) =>
  media.call(path, who, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
const ticketFor = (body: object) => media.json<Ticket>(PATH, user(me), 'POST', body)
const prepare = async (id: string, size: string) =>
  (await (await post(`${PATH}/${id}/${size}`)).json()) as { left: number; url: string }
const get = (url: string, headers: Record<string, string> = {}) => media.call(url, user(me), { headers })

async function download(body: object, size = 'original'): Promise<Response> {
  const { id } = await ticketFor(body)
  expect((await prepare(id, size)).left).toBe(0)
  return get(`${PATH}/${id}/${size}`)
}

const timesOf = async (response: Response) =>
  Object.values(await modificationTimes(Buffer.from(await response.arrayBuffer())))
const filesOf = async (response: Response) => unpack(Buffer.from(await response.arrayBuffer()))

async function upload(name: string, { folderId, bytes }: { folderId?: number; bytes?: Buffer } = {}) {
  const file = { name, bytes: bytes ?? (await jpeg()) }
  const fields: [string, string][] = folderId === undefined ? [] : [['folderId', String(folderId)]]
  const { body } = await media.send('/api/upload-photo', user(me), [...fields, ['photo', file]])
  return { id: body.id as number, bytes: file.bytes }
}

/** Gives a photo a preview, as processing does. */
async function addPreview(id: number, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const names = await storeRenditions(media.store, { small: null, thumbnail: null, medium: null, preview: bytes })
  await media.db.photo.update({ where: { id }, data: { ...names, ...previewChecksum(bytes), status: 'ready' } })
}

test('a selection comes byte for byte, under unique and safe names, with its exact length', async () => {
  const first = await upload('a.jpg')
  const second = await upload('A.JPG')
  const evil = await upload('x.jpg')
  const unchosen = await upload('other.jpg')
  await media.db.photo.update({ where: { id: evil.id }, data: { originalName: '../../.ssh/CON.jpg' } })
  const ticket = await ticketFor({ ids: [second.id, first.id, evil.id, first.id], name: '../Küste: "Nord"\r\n' })
  expect(ticket).toMatchObject({ photos: 3, original: { photos: 3 }, web: { photos: 0, bytes: 0 } })
  expect(ticket.original.bytes).toBe(first.bytes.length + second.bytes.length + evil.bytes.length)
  const { url } = await prepare(ticket.id, 'original')

  const response = await get(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="_K_ste_ _Nord_.zip"; filename*=UTF-8''_K%C3%BCste_%20_Nord_.zip`,
  )
  const archive = Buffer.from(await response.arrayBuffer())
  expect(archive.length).toBe(Number(response.headers.get('content-length')))
  const files = await unpack(archive)
  expect([...files.keys()].sort()).toEqual(['A (2).JPG', '_.._.ssh_CON.jpg', 'a.jpg'].sort())
  expect(files.get('a.jpg')?.equals(first.bytes)).toBe(true)
  expect(files.get('A (2).JPG')?.equals(second.bytes)).toBe(true)
  expect([...files.values()].some((bytes) => bytes.equals(unchosen.bytes))).toBe(false)
})

test('is resumed by ranges while the photos are the same, and begins anew when one was deleted', async () => {
  const { id } = await upload('a.jpg', { bytes: await jpegOfSize(300_000) })
  const other = await upload('b.jpg')
  const { url } = await prepare((await ticketFor({ ids: [id, other.id] })).id, 'original')
  const response = await get(url)
  const etag = response.headers.get('etag') ?? ''
  const whole = Buffer.from(await response.arrayBuffer())
  const part = await get(url, { range: 'bytes=200000-', 'if-range': etag })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(200_000))).toBe(true)

  await media.call(`/api/photos/${other.id}`, user(me), { method: 'DELETE' })
  const changed = await get(url, { range: 'bytes=200000-', 'if-range': etag })
  expect(changed.status).toBe(200)
  expect([...(await filesOf(changed)).keys()]).toEqual(['a.jpg'])

  await media.call(`/api/photos/${id}`, user(me), { method: 'DELETE' })
  expect((await get(url)).status).toBe(410)
})

test.each(['original', 'web'])(
  'the files bear the dates of the photos, and a correction makes another archive: %s',
  async (size) => {
    const dated = await upload('dated.jpg')
    const undated = await upload('undated.jpg')
    for (const { id } of [dated, undated]) await addPreview(id, 'webp')
    await media.db.photo.update({ where: { id: dated.id }, data: { dateTaken: '2017-03-04T05:06:08' } })
    const { createdAt } = await media.db.photo.findUniqueOrThrow({ where: { id: undated.id } })
    const { url } = await prepare((await ticketFor({ ids: [dated.id, undated.id] })).id, size)
    const first = await get(url)
    expect(await timesOf(first)).toEqual(['20170304.050608', zipTime(createdAt)])

    const etag = first.headers.get('etag') ?? ''
    await media.json(`/api/photos/${dated.id}`, user(me), 'PATCH', { dateTaken: '2018-03-04T05:06:08+01:00' })
    const corrected = await get(url, { range: 'bytes=10-', 'if-range': etag })
    expect(corrected.status).toBe(200)
    expect(await timesOf(corrected)).toEqual(['20180304.040608', zipTime(createdAt)])
  },
)

test('a filter selects a folder, a search in it, or the gallery without exceptions', async () => {
  media.folders().set(10, me, false)
  const inside = await upload('harbour.jpg', { folderId: 10 })
  await upload('mountain.jpg', { folderId: 10 })
  await upload('harbour-outside.jpg')
  const names = async (body: object) => [...(await filesOf(await download(body))).keys()].sort()
  expect(await names({ filter: { folder: '10' } })).toEqual(['harbour.jpg', 'mountain.jpg'])
  expect(await names({ filter: { folder: '10', q: 'harb' } })).toEqual(['harbour.jpg'])
  expect(await names({ filter: {}, except: [inside.id] })).toEqual(['harbour-outside.jpg', 'mountain.jpg'])
})

test("neither another user's photos, folder nor ticket can be reached", async () => {
  const mine = await upload('mine.jpg')
  const ticket = await ticketFor({ ids: [mine.id] })
  const { url } = await prepare(ticket.id, 'original')
  media.folders().set(20, me, true)
  await upload('public.jpg', { folderId: 20 })

  me = nextUser++
  const own = await upload('own.jpg')
  expect((await post(PATH, { ids: [mine.id] })).status).toBe(404)
  expect((await post(PATH, { filter: { folder: '20' } })).status).toBe(404)
  expect((await get(url)).status).toBe(404)
  expect((await post(`${PATH}/${ticket.id}/original`)).status).toBe(404)
  const mixed = await download({ ids: [mine.id, own.id] })
  expect([...(await filesOf(mixed)).keys()]).toEqual(['own.jpg'])
})

test('web size has the previews, and leaves out photos without one', async () => {
  const { id } = await upload('DJI_0001.JPG')
  const processing = await upload('new.jpg')
  await addPreview(id, 'a preview')
  const ticket = await ticketFor({ ids: [id, processing.id] })
  expect(ticket).toMatchObject({ photos: 2, original: { photos: 2 }, web: { photos: 1, bytes: 9 } })
  expect((await get(`${PATH}/${ticket.id}/web`)).status).toBe(409)

  const { url, left } = await prepare(ticket.id, 'web')
  expect(left).toBe(0)
  const response = await get(url)
  expect(response.headers.get('content-disposition')).toContain('(web size).zip"')
  const files = await filesOf(response)
  expect([...files].map(([name, bytes]) => [name, String(bytes)])).toEqual([['DJI_0001.webp', 'a preview']])
})

test('the worker stores the checksum of a preview with it', async () => {
  const worker = media.startWorker()
  const { id } = await upload('a.jpg')
  const { preview, previewBytes, previewCrc32 } = await media.processed(id)
  worker.kill()
  await once(worker, 'exit')
  const object = await media.store.get(renditionKey(preview ?? ''))
  const bytes = Buffer.concat(await (object?.body ?? Readable.from([])).toArray())
  expect({ previewBytes, previewCrc32 }).toEqual({ previewBytes: bytes.length, previewCrc32: BigInt(crc32(bytes)) })
})

test('reads the originals first that have no checksum until they are verified', async () => {
  const { id, bytes } = await upload('a.jpg')
  await media.db.photo.update({ where: { id }, data: { crc32: null } })
  const files = await filesOf(await download({ ids: [id] }))
  expect(files.get('a.jpg')?.equals(bytes)).toBe(true)
  expect((await media.photo(id)).crc32).toBe(BigInt(crc32(bytes)))
})

test('an error in the middle ends the connection before the announced length', async () => {
  const first = await upload('a.jpg', { bytes: await jpegOfSize(4_000_000) })
  const second = await upload('b.jpg')
  const { url } = await prepare((await ticketFor({ ids: [first.id, second.id] })).id, 'original')
  await media.store.remove(originalKey((await media.photo(second.id)).filename))
  const response = await get(url)
  expect(response.status).toBe(200)
  await expect(response.arrayBuffer()).rejects.toThrow()
})

test('a user has few downloads at the same time, and no other user waits for them', async () => {
  const { id } = await upload('a.jpg', { bytes: await jpegOfSize(8_000_000) })
  const { url } = await prepare((await ticketFor({ ids: [id] })).id, 'original')
  const stop = new AbortController()
  const open = () => media.call(url, user(me), { signal: stop.signal })
  const responses = await Promise.all([open(), open(), open(), open()])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const tooMany = await get(url)
  expect(tooMany.status).toBe(429)
  expect(tooMany.headers.get('retry-after')).toBe('30')
  me = nextUser++
  const other = await upload('a.jpg')
  expect((await download({ ids: [other.id] })).status).toBe(200)
  stop.abort()
})

test('a user has twenty tickets, of which the oldest ends with the next one', async () => {
  const { id } = await upload('a.jpg')
  const ids: string[] = []
  for (let count = 0; count < 21; count += 1) ids.push((await ticketFor({ ids: [id] })).id)
  const tried = [ids[0], ids[1], ids[20]].map((ticket) => post(`${PATH}/${ticket}/original`))
  expect((await Promise.all(tried)).map(({ status }) => status)).toEqual([404, 200, 200])
})

test('rejects requests that name no photos, too many, or both ways', async () => {
  const { id } = await upload('a.jpg')
  for (const body of [{}, { ids: [] }, { ids: [id], filter: {} }, { ids: [id], except: [id] }, { folder: '1' }]) {
    expect((await post(PATH, body)).status, JSON.stringify(body)).toBe(400)
  }
  const many = await post(PATH, { ids: Array.from({ length: 5001 }, (_, index) => index + 1) })
  expect(many.status).toBe(400)
  expect(((await many.json()) as { message: string }).message).toContain('Up to 5,000 photos')
  expect((await post(`${PATH}/${'0'.repeat(32)}/original`)).status).toBe(404)
  expect((await get(`${PATH}/nonsense/original`)).status).toBe(400)
  expect((await get(`${PATH}/${'0'.repeat(32)}/thumbnail`)).status).toBe(400)
})

test('one download has up to 10,000 photos', async () => {
  await upload('a.jpg')
  await media.pool.query(
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, copy_number, crc32, status)
    SELECT $1, 'x', lpad(to_hex(n), 32, '0') || '.jpg', 'x.jpg', 10, md5(n::text) || md5(n::text), 0, 0, 'ready'
    FROM generate_series(1, 10000) AS n`,
    [me],
  )
  const rejected = await post(PATH, { filter: {} })
  expect(rejected.status).toBe(413)
  expect(((await rejected.json()) as { message: string }).message).toContain('up to 10,000 photos')
})

test('the names of thousands of photos hold up no other request', async () => {
  const row = { filename: 'a.jpg', originalName: 'x.jpg', createdAt: new Date(), name: 'a.jpg', size: 1, crc32: 0n }
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ ...row, id }))
  const db = { $queryRaw: async () => rows } as unknown as TestMedia['db']
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  await openDownloadArchive(
    db,
    { id: '', userId: me, name: '', photoIds: [], files: 'both' as const, prepared: [] },
    'original',
  )
  expect(hadTurn).toBe(true)
})
