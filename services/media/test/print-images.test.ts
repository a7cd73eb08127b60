import { timestampDate } from '@bufbuild/protobuf/wkt'
import { PrintImageStatus } from '@skyfolio/proto'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPrintImageNames } from '../src/print-images/names.ts'
import { BYTES_PER_USER, IMAGES_PER_USER } from '../src/print-images/rows.ts'
import { quadrants } from './fixtures/quadrants.ts'
import { dng } from './fixtures/tiff.ts'
import { addPrintImages, colourAt, noise, printRequests, redAndBlue } from './print-support.ts'
import { PRINT_IMAGE_KEYS, startTestMedia, type TestMedia, user, visitor } from './support.ts'

const HOUR = 3_600_000
const { READY, RENDERING, FAILED, NOT_FOUND } = PrintImageStatus

let media: TestMedia
let requests: ReturnType<typeof printRequests>
beforeAll(async () => {
  media = await startTestMedia()
  requests = printRequests(media)
  media.startWorker()
})
afterEach(() => media.db.printImage.deleteMany())
afterAll(() => media.close())

const print4x6 = { shortSide: 1200, longSide: 1800 }
const idOf = (filename = '') => filename.split('-')[1] ?? ''
const rowOf = (filename?: string) => media.db.printImage.findUniqueOrThrow({ where: { id: idOf(filename) } })

test('renders a photo for a print, and serves it to anybody under its name', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(3000, 2000))
  const request = [{ photoId: id, ...print4x6, crop: { x: 0.5, y: 0, width: 0.5, height: 1 } }]
  const [image] = await requests.prepared(1, request)
  // The right half, 1500 x 2000, is upright: of it 1333 x 2000.
  expect(image).toMatchObject({
    status: READY,
    width: 1200,
    height: 1800,
    sourceWidth: 3000,
    sourceHeight: 2000,
    filename: expect.stringMatching(/^p-[0-9a-f]{32}-[0-9a-z]+-[0-9a-f]{32}\.jpg$/),
  })
  const remaining = (image?.expiresAt ? timestampDate(image.expiresAt).getTime() : 0) - Date.now()
  expect(Math.abs(remaining - 336 * HOUR)).toBeLessThan(HOUR)
  const bytes = await requests.fetched(image?.filename)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 1800 })
  for (const x of [0.02, 0.5, 0.98]) expect(await colourAt(bytes, x, 0.5)).toBe('blue')

  expect((await requests.prepare(1, request))[0]).toEqual(image)
  expect(await media.db.printImage.count()).toBe(1)
})

test('renders a proof of the whole photo, and each photo and size once', async () => {
  const bytes = await sharp(await redAndBlue(2400, 3200))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { id } = await media.upload(1, {}, bytes)
  const [proof, print, same] = await requests.prepared(1, [
    { photoId: id },
    { photoId: id, ...print4x6 },
    { photoId: id, ...print4x6 },
  ])
  expect(proof).toMatchObject({ status: READY, width: 2048, height: 1536, sourceWidth: 3200, sourceHeight: 2400 })
  expect(print).toMatchObject({ status: READY, width: 1800, height: 1200, sourceWidth: 3200, sourceHeight: 2400 })
  expect(same).toEqual(print)
  // Rotated to the right, the red left half is on top.
  const shown = await requests.fetched(proof?.filename)
  expect([await colourAt(shown, 0.5, 0.2), await colourAt(shown, 0.5, 0.8)]).toEqual(['red', 'blue'])
})

test('says which images there will not be', async () => {
  const { id } = await media.upload(1)
  const { id: metadataPhoto } = await media.upload(1, { metadata: 'true' })
  const { id: damaged } = await media.upload(1)
  await media.processed(damaged)
  await media.db.photo.update({ where: { id: damaged }, data: { status: 'failed' } })
  const whole = { x: 0, y: 0, width: 1, height: 1 }
  const found = await requests.prepare(1, [
    { photoId: 4_000_000 },
    { photoId: metadataPhoto },
    { photoId: damaged },
    { photoId: id, shortSide: 1200 },
    { photoId: id, shortSide: 1800, longSide: 1200 },
    { photoId: id, shortSide: 1200, longSide: 1_000_000 },
    { photoId: id, ...print4x6, crop: { ...whole, width: 0 } },
    { photoId: id, ...print4x6, crop: { ...whole, x: -0.1 } },
    { photoId: id, ...print4x6, crop: { ...whole, x: 0.1 } },
    { photoId: id, ...print4x6, crop: { ...whole, y: Number.NaN } },
    { photoId: id, ...print4x6, crop: { ...whole, height: Number.POSITIVE_INFINITY } },
  ])
  expect(found.map(({ status }) => status)).toEqual([NOT_FOUND, NOT_FOUND, ...Array(9).fill(FAILED)])
  for (const { message } of found.slice(2)) expect(message).toMatch(/^[A-Z].*\.$/)
  expect((await requests.prepare(2, [{ photoId: id }]))[0]?.status).toBe(NOT_FOUND)
  expect(await media.db.printImage.count()).toBe(0)
})

test('prints a DNG by its preview, or says that it has too few pixels', async () => {
  const jpeg = await quadrants(600, 400).jpeg().toBuffer()
  const bytes = dng({ previews: [{ jpeg, width: 600, height: 400 }], width: 900, height: 600 })
  const { id } = await media.upload(1, {}, bytes)
  const [proof, small, large] = await requests.prepared(1, [
    { photoId: id },
    { photoId: id, shortSide: 500, longSide: 700 },
    { photoId: id, ...print4x6 },
  ])
  expect(proof).toMatchObject({ status: READY, sourceWidth: 600, sourceHeight: 400 })
  expect(small).toMatchObject({ status: READY, width: 560, height: 400 })
  expect(large).toMatchObject({ status: FAILED, message: expect.stringContaining('too few pixels') })
})

test('rejects a damaged photo with a sentence, and tries again after a while', async () => {
  const whole = await redAndBlue(1000, 800)
  const bytes = Buffer.concat([whole.subarray(0, whole.length >> 1), Buffer.from([0xff, 0xd9])])
  const { id } = await media.upload(1, {}, bytes)
  // As if the worker had not seen the damage yet.
  await media.processed(id)
  await media.db.photo.update({ where: { id }, data: { status: 'ready' } })
  const [image] = await requests.prepared(1, [{ photoId: id }])
  expect(image).toMatchObject({ status: FAILED, message: 'The photo is damaged and cannot be printed.' })
  await media.db.printImage.updateMany({ data: { expiresAt: new Date(Date.now() - 1000) } })
  expect((await requests.prepare(1, [{ photoId: id }]))[0]?.status).not.toBe(FAILED)
})

test('keeps an image when its photo is deleted, and makes no new one', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const [image] = await requests.prepared(1, [{ photoId: id }])
  await media.call(`/api/photos/${id}`, user(1), { method: 'DELETE' })
  expect((await requests.prepare(1, [{ photoId: id }]))[0]?.status).toBe(NOT_FOUND)
  expect((await requests.fetched(image?.filename)).length).toBeGreaterThan(0)
  expect((await requests.check(1, [image?.filename ?? '']))[0]).toMatchObject({ status: READY })
})

test('confirms names to their user alone, and no forged or expired ones', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const [image] = await requests.prepared(1, [{ photoId: id }])
  const filename = image?.filename ?? ''
  const imageId = idOf(filename)
  const names = createPrintImageNames([PRINT_IMAGE_KEYS])
  const forged = createPrintImageNames(['another-key-that-signs-nothing-of-ours']).sign(imageId, new Date(2e12))
  const expired = names.sign(imageId, new Date(Date.now() - 1000))
  const unknown = names.sign('0'.repeat(32), new Date(Date.now() + HOUR))
  const others = [forged, expired, unknown, `${imageId}.jpg`, '']
  expect((await requests.check(1, [filename, ...others])).map(({ status }) => status)).toEqual([
    READY,
    ...others.map(() => NOT_FOUND),
  ])
  expect((await requests.check(1, [filename]))[0]).toEqual(image)
  expect((await requests.check(2, [filename]))[0]?.status).toBe(NOT_FOUND)
  for (const name of others.slice(0, 4)) {
    expect((await media.call(`/api/uploads/${name}`, visitor)).status, name).toBe(404)
  }
  expect((await media.call(`/api/uploads/p-..%2F..%2Foriginals%2F${imageId}`, visitor)).status).toBe(404)
})

test('extends an image that an order could outlive, under a new name; the old one ends when it says', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const request = [{ photoId: id, ...print4x6 }]
  const [image] = await requests.prepared(1, request)
  const shorten = (hours: number) =>
    media.db.printImage.update({
      where: { id: idOf(image?.filename) },
      data: { expiresAt: new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR) },
    })
  const nameUntil = async (hours: number) => {
    const { id: imageId, expiresAt } = await shorten(hours)
    return createPrintImageNames([PRINT_IMAGE_KEYS]).sign(imageId, expiresAt)
  }
  const kept = await nameUntil(37)
  expect((await requests.check(1, [kept]))[0]?.filename).toBe(kept)
  for (const again of [(old: string) => requests.check(1, [old]), () => requests.prepare(1, request)]) {
    const old = await nameUntil(35)
    const [later] = await again(old)
    expect(later).toMatchObject({ status: READY })
    expect(later?.filename).not.toBe(old)
    const remaining = (await rowOf(later?.filename)).expiresAt.getTime() - Date.now()
    expect(remaining).toBeGreaterThan(335 * HOUR)
    expect((await requests.fetched(later?.filename)).equals(await requests.fetched(old))).toBe(true)
  }
})

test('keeps a proof for 48 hours only', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const [proof] = await requests.prepared(1, [{ photoId: id }])
  const remaining = (await rowOf(proof?.filename)).expiresAt.getTime() - Date.now()
  expect(Math.abs(remaining - 48 * HOUR)).toBeLessThan(HOUR)
})

test('sends a print image with ranges, an entity tag and a bounded life in caches', async () => {
  const { id } = await media.upload(1, {}, await redAndBlue(900, 600))
  const [image] = await requests.prepared(1, [{ photoId: id }])
  const path = `/api/uploads/${image?.filename}`
  const bytes = await requests.fetched(image?.filename)
  const response = await media.call(path)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(bytes.length),
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
  })
  const etag = response.headers.get('etag') ?? ''
  expect((await media.call(path, visitor, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const part = await media.call(path, visitor, { headers: { range: 'bytes=2-9' } })
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(2, 10)])
  const head = await media.call(path, visitor, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  const last = createPrintImageNames([PRINT_IMAGE_KEYS]).sign(idOf(image?.filename), new Date(Date.now() + 60_000))
  const caching = (await media.call(`/api/uploads/${last}`)).headers.get('cache-control') ?? ''
  expect(Number(caching.split('=')[1])).toBeLessThanOrEqual(60)
})

test('makes no more images than a user may have', async () => {
  const small = await startTestMedia()
  onTestFinished(small.close)
  await addPrintImages(small, 1, IMAGES_PER_USER - 2)
  const { id } = await small.upload(1)
  const sizes = [100, 200, 300].map((side) => ({ photoId: id, shortSide: side, longSide: side }))
  const found = await printRequests(small).prepare(1, sizes)
  expect(found.map(({ status }) => status)).toEqual([RENDERING, RENDERING, FAILED])
  expect(found[2]?.message).toContain('too many prints')
  expect(await small.db.printImage.count()).toBe(IMAGES_PER_USER)
  await small.db.printImage.updateMany({ data: { expiresAt: new Date(0) } })
  expect((await printRequests(small).prepare(1, sizes.slice(2)))[0]?.status).toBe(RENDERING)
})

test('renders no more images than a user may have in bytes', async () => {
  const small = await startTestMedia({ worker: { printConcurrency: 1 } })
  onTestFinished(small.close)
  await addPrintImages(small, 1, 4, (BYTES_PER_USER - 1_048_576) / 4)
  small.startWorker()
  const { id } = await small.upload(1, {}, await noise(1200, 1000))
  const others = await small.upload(2)
  await small.processed(id)
  const sizes = [1000, 999, 998].map((side) => ({ photoId: id, shortSide: side, longSide: side }))
  const { prepare, prepared } = printRequests(small)
  // Both wait before the first one is rendered and its size known.
  const waiting = await prepared(1, sizes.slice(0, 2))
  expect(waiting.map(({ status }) => status).sort()).toEqual([READY, FAILED].sort())
  const [further] = await prepare(1, sizes.slice(2))
  expect(further).toMatchObject({ status: FAILED, message: expect.stringContaining('too many prints') })
  expect(waiting.find(({ status }) => status === FAILED)?.message).toBe(further?.message)
  const sent = await small.send('/api/walgreens/upload-image', user(1), [
    ['image', { name: 'a.jpg', bytes: await noise(400, 400) }],
  ])
  expect(sent).toMatchObject({ status: 429, body: { error: expect.stringContaining('too many images') } })
  expect((await prepared(2, [{ photoId: others.id }]))[0]?.status).toBe(READY)
  await small.db.printImage.updateMany({ data: { expiresAt: new Date(0) } })
  expect((await prepared(1, sizes.slice(2)))[0]?.status).toBe(READY)
})
