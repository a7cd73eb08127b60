import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ExportReadySchema, events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ExportResponse, sweepExpiredExports } from '../src/exports/export-rows.ts'
import { originalKey } from '../src/files/object-keys.ts'
import { reconcile } from '../src/files/reconcile.ts'
import { type ExportSources, modificationTimes, serveExportSources, unpack, zipTime } from './export-support.ts'
import { admin, jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

const PATH = '/api/user/export'
const DAY = 86_400_000

let media: TestMedia
let worker: ReturnType<TestMedia['startWorker']>
let sources: ExportSources
let nextUser = 100
let me = 0

beforeAll(async () => {
  media = await startTestMedia()
  worker = media.startWorker()
})
beforeEach(() => {
  me = nextUser++
  sources = serveExportSources(media.nats)
})
afterEach(() => sources.stop())
afterAll(() => media.close())

const status = () => media.json<ExportResponse>(PATH, user(me))
const request = (body?: object) => media.json<ExportResponse>(PATH, user(me), 'POST', body)
const ready = () =>
  waitFor(
    async () => {
      const found = await status()
      if (found.status === 'failed') throw new Error(found.message ?? '')
      return found.status === 'ready' && { url: found.url ?? '', size: found.size ?? 0 }
    },
    { what: 'the export is ready', timeoutMs: 60_000 },
  )

const exportId = async () => (await media.db.export.findUniqueOrThrow({ where: { userId: me } })).id

async function prepare(): Promise<{ url: string; size: number }> {
  await request()
  return ready()
}

async function download(url: string, headers: Record<string, string> = {}): Promise<Buffer> {
  return Buffer.from(await (await media.call(url, user(me), { headers })).arrayBuffer())
}

async function upload(
  name: string,
  columns: { folderId?: number; ownPosition?: number; originalName?: string } = {},
  bytes?: Buffer,
) {
  const file = { name, bytes: bytes ?? (await jpeg()) }
  const { body } = await media.send('/api/upload-photo', user(me), [['photo', file]])
  await media.db.photo.update({ where: { id: body.id }, data: columns })
  return { id: body.id as number, bytes: file.bytes }
}

test('has every original byte for byte, all data, a manifest and a text, under safe names', async () => {
  expect(await status()).toMatchObject({ status: 'none', url: null })
  const north = await upload('a.jpg', { folderId: 1, ownPosition: 1.5 })
  const other = await upload('a.jpg', { folderId: 2 })
  const loose = await upload('x.jpg', { originalName: '..\\..\\CON.jpg' })
  const equal = await upload('DJI.JPG', { folderId: 3 })
  const hidden = await upload('dji.jpg', { folderId: 3 })
  const unknown = await upload('b.jpg', { folderId: 77 })
  expect(await request()).toMatchObject({ status: 'preparing' })
  const { url, size } = await ready()
  const archive = await download(url)
  expect(archive.length).toBe(size)
  const files = await unpack(archive)
  const paths = {
    'originals/_Küste_ Nord/a.jpg': north,
    'originals/_KÜSTE_ NORD (2)/a.jpg': other,
    'originals/No folder/_.._CON.jpg': loose,
    'originals/no folder (2)/DJI.JPG': equal,
    'originals/no folder (2)/dji (2).jpg': hidden,
    'originals/Folder 77/b.jpg': unknown,
  }
  const data = [
    'README.txt',
    'account/profile.json',
    'manifest.json',
    'orders/orders-0001.json',
    'photos/photos-0001.json',
  ]
  const folders = ['folders/folders-0001.json', 'folders/folders-0002.json', 'folders/rankings-0001.json']
  expect([...files.keys()].sort()).toEqual([...Object.keys(paths), ...data, ...folders].sort())
  for (const [path, { bytes }] of Object.entries(paths)) expect(files.get(path)?.equals(bytes), path).toBe(true)

  const manifest = JSON.parse(String(files.get('manifest.json')))
  expect(manifest.map(({ path }: { path: string }) => path)).toEqual(Object.keys(paths))
  expect(manifest[0]).toMatchObject({
    id: north.id,
    bytes: north.bytes.length,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const photos = JSON.parse(String(files.get('photos/photos-0001.json')))
  expect(photos[0]).toMatchObject({
    id: north.id,
    title: 'a',
    folderId: 1,
    ownPosition: 1.5,
    path: Object.keys(paths)[0],
  })
  expect(String(files.get('README.txt'))).toContain('manifest.json')
})

test('originals bear the date of the photo, the other files that of the export', async () => {
  const dated = await upload('dated.jpg')
  await media.json(`/api/photos/${dated.id}`, user(me), 'PATCH', { dateTaken: '2017-03-04T05:06:08-05:00' })
  const undated = await upload('undated.jpg')
  const { createdAt } = await media.db.photo.findUniqueOrThrow({ where: { id: undated.id } })
  const { url } = await prepare()
  const times = await modificationTimes(await download(url))
  const preparation = await media.db.export.findUniqueOrThrow({ where: { userId: me } })
  expect(times).toMatchObject({
    'originals/No folder/dated.jpg': '20170304.100608',
    'originals/No folder/undated.jpg': zipTime(createdAt),
    'manifest.json': zipTime(preparation.createdAt),
  })
})

test('clients that disconnect before the archive begins leave it to be downloaded', async () => {
  const { url } = await prepare()
  for (let count = 0; count < 5; count += 1) {
    const leaving = new AbortController()
    await media.db.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE exports`
      const left = media.call(url, user(me), { signal: leaving.signal }).catch(() => {})
      const isWaiting = async () => {
        const waiting = await tx.$queryRaw<unknown[]>`
          SELECT FROM pg_locks WHERE relation = 'exports'::regclass AND NOT granted`
        return waiting.length > 0
      }
      await waitFor(isWaiting, { what: 'the download reads its export' })
      leaving.abort()
      await left
      // The service notices it before it responds to a later request.
      await media.json('/api/photos/storage', user(me))
    })
  }
  expect((await download(url)).subarray(0, 2).toString()).toBe('PK')
})

test('is resumed by ranges, as long as it is the same', async () => {
  await upload('a.jpg', {}, await jpegOfSize(300_000))
  const { url, size } = await prepare()
  const whole = await download(url)
  const head = await media.call(url, user(me), { method: 'HEAD' })
  const etag = head.headers.get('etag') ?? ''
  expect(Object.fromEntries(head.headers)).toMatchObject({
    'content-length': String(size),
    'content-type': 'application/zip',
    'accept-ranges': 'bytes',
    'content-disposition': expect.stringMatching(/^attachment; filename="skyfolio-export-\d{4}-\d\d-\d\d\.zip"/),
  })
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
  for (const [start, end] of [
    [0, 0],
    [100, 250_000],
    [size - 300, size - 1],
    [size - 22, size - 1],
  ] as const) {
    const response = await media.call(url, user(me), { headers: { range: `bytes=${start}-${end}`, 'if-range': etag } })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`)
    expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true)
  }
  expect((await download(url, { range: 'bytes=5-', 'if-range': '"another"' })).equals(whole)).toBe(true)
  expect((await media.call(url, user(me), { headers: { range: `bytes=${size}-` } })).status).toBe(416)
  expect((await media.call(url, user(me), { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('belongs to its user alone', async () => {
  const { url } = await prepare()
  const ids = [user(me + 5000), admin]
  for (const who of ids) expect((await media.call(url, who)).status).toBe(404)
  for (const range of ['bytes=0-10', 'bytes=99999999-']) {
    expect((await media.call(url, user(me + 5000), { headers: { range } })).status).toBe(404)
  }
  expect((await media.call(url)).status).toBe(401)
  expect((await media.call(`${PATH}/${'0'.repeat(32)}`, user(me))).status).toBe(404)
})

test('publishes once that it is ready, with the time until when', async () => {
  const { url } = await prepare()
  const { expiresAt } = await status()
  const subject = events.exportReady.subject
  const rows = await media.db.outbox.findMany({ where: { subject }, orderBy: { seq: 'asc' } })
  const published = rows
    .map(({ payload }) => fromBinary(ExportReadySchema, payload))
    .filter(({ userId }) => userId === me)
  expect(
    published.map((event) => [event.exportId, event.expiresAt && timestampDate(event.expiresAt).toISOString()]),
  ).toEqual([[url.slice(url.lastIndexOf('/') + 1), expiresAt]])
})

test('is replaced only when the user says so, and not often in a day', async () => {
  const { url } = await prepare()
  expect(await request()).toMatchObject({ status: 'ready', url })
  await request({ renew: true })
  const second = await ready()
  expect(second.url).not.toBe(url)
  expect((await media.call(url, user(me))).status).toBe(404)
  await request({ renew: true })
  await ready()
  const rejected = await media.call(PATH, user(me), {
    method: 'POST',
    body: '{"renew":true}',
    headers: { 'content-type': 'application/json' },
  })
  expect(rejected.status).toBe(429)
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(80_000)
})

test('is 410 when a photo was deleted since, and can be prepared anew', async () => {
  const { id } = await upload('a.jpg')
  const { url } = await prepare()
  await media.call(`/api/photos/${id}`, user(me), { method: 'DELETE' })
  const response = await media.call(url, user(me))
  expect(response.status).toBe(410)
  expect(await response.json()).toMatchObject({ code: 'export_outdated' })
  expect(await status()).toMatchObject({ status: 'failed', message: expect.stringContaining('deleted since') })
  expect((await media.call(url, user(me))).status).toBe(410)
  const renewed = await prepare()
  expect([...(await unpack(await download(renewed.url))).keys()].join()).not.toContain('originals')
})

test('is cut off, and marked, when an original turns out to be missing', async () => {
  const claimed = await upload('a.jpg', {}, await jpegOfSize(2_000_000))
  const { id } = await upload('b.jpg')
  const { url, size } = await prepare()
  await media.store.remove(originalKey((await media.photo(id)).filename))
  await expect(download(url)).rejects.toThrow()
  expect(await status()).toMatchObject({ status: 'failed' })
  // The next one says what is missing, and names no hash that is not verified.
  await media.db.photo.update({ where: { id: claimed.id }, data: { sha256Verified: false, crc32: null } })
  const renewed = await prepare()
  expect(renewed.size).toBeLessThan(size)
  const files = await unpack(await download(renewed.url))
  const manifest = JSON.parse(String(files.get('manifest.json')))
  const entryOf = (photoId: number) => manifest.find((entry: { id: number }) => entry.id === photoId)
  expect(entryOf(id).path).toBeNull()
  expect(entryOf(claimed.id)).toMatchObject({ path: expect.any(String), sha256: null })
})

test('reads photos that are not verified yet once, after the kill of its worker too', async () => {
  const ids: number[] = []
  for (let index = 0; index < 12; index += 1) ids.push((await upload(`${index}.jpg`, {}, await jpegOfSize(400_000))).id)
  const before = await media.db.photo.findMany({
    where: { userId: me },
    orderBy: { id: 'asc' },
    select: { crc32: true },
  })
  await media.db.photo.updateMany({ where: { userId: me }, data: { sha256Verified: false, crc32: null } })
  await request()
  await waitFor(() => media.db.photo.findFirst({ where: { userId: me, crc32: { not: null } } }), {
    what: 'it has begun',
  })
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  worker = media.startWorker()
  const { url } = await ready()
  const after = await media.db.photo.findMany({
    where: { userId: me },
    orderBy: { id: 'asc' },
    select: { crc32: true },
  })
  expect(after).toEqual(before)
  const archive = await download(url)
  expect((await unpack(archive)).size).toBe(ids.length + 8)
})

test('waits for a service that is unavailable', async () => {
  await upload('a.jpg')
  await sources.folders.stop()
  await request()
  // What auth has comes first.
  await waitFor(async () => (await media.db.exportEntry.count({ where: { exportId: await exportId() } })) > 0, {
    what: 'it was attempted',
  })
  expect(await status()).toMatchObject({ status: 'preparing' })
  sources.restartFolders()
  const { url } = await ready()
  expect([...(await unpack(await download(url))).keys()]).toContain('originals/No folder/a.jpg')
  expect(await media.db.export.findUnique({ where: { userId: me } })).toMatchObject({ status: 'ready' })
})

test('is swept after a week, and only what belongs to no export is removed from the store', async () => {
  await upload('a.jpg')
  await prepare()
  const files = async () => (await media.keys()).filter((key) => key.startsWith('exports/'))
  const id = await exportId()
  const ofThis = (keys: string[]) => keys.filter((key) => key.startsWith(`exports/${id}/`))
  await waitFor(async () => (await media.db.objectRemoval.count()) === 0, { what: 'earlier removals are done' })
  const live = ofThis(await files())
  expect(live).toHaveLength(8)
  await media.store.put(`exports/${id}/dead-0`, Readable.from([Buffer.from('x')]), { contentType: 'x' })
  const silent = { debug() {}, info() {}, warn() {}, error() {} } as never
  await reconcile({ db: media.db, store: media.store, logger: silent }, { orphanAgeMs: -1000, dryRun: false })
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })
  await waitFor(async () => ofThis(await files()).length === live.length, { what: 'the orphan is removed' })
  expect(ofThis(await files())).toEqual(live)

  await sweepExpiredExports(media.db, new Date(Date.now() + 7 * DAY + 60_000))
  expect(await status()).toMatchObject({ status: 'none' })
  await waitFor(async () => (await files()).length === 0, { what: 'the files are removed' })
  expect((await media.keys()).some((key) => key.startsWith('originals/'))).toBe(true)
})
