import { once } from 'node:events'
import { request } from 'node:http'
import { PrintImageStatus } from '@skyfolio/proto'
import { dronePhoto, identityHeaders, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { IMAGES_PER_USER, sweepExpiredPrintImages } from '../src/print-images/rows.ts'
import { ADOBE_RGB, inSrgb, rgbProfile, withProfile } from './fixtures/profiles.ts'
import { coloursOf, QUADRANTS, quadrants } from './fixtures/quadrants.ts'
import { addPrintImages, colourAt, printRequests, redAndBlue } from './print-support.ts'
import { jpeg, jpegOfSize, PUBLIC_ORIGIN, startTestMedia, type TestMedia, type UploadFile, user } from './support.ts'

const MB = 1024 * 1024
const me = user(1)

let media: TestMedia
let requests: ReturnType<typeof printRequests>
beforeAll(async () => {
  media = await startTestMedia()
  requests = printRequests(media)
  media.startWorker()
  const first: UploadFile = { name: 'first.jpg', bytes: await jpeg() }
  // On a busy machine its start takes longer than a response may.
  await waitFor(async () => (await send(first.bytes, first.name)).status === 201, { what: 'the worker has started' })
  await removePrintImages()
})
afterEach(removePrintImages)
afterAll(() => media.close())

/** As if all had expired: what an upload that was not answered in time has stored goes too. */
async function removePrintImages(): Promise<void> {
  await media.db.printImage.updateMany({ data: { expiresAt: new Date(0) } })
  await sweepExpiredPrintImages(media.db)
}

const send = (bytes: Buffer, name = 'photo-1.jpg', who = me, target = media) =>
  target.send('/api/walgreens/upload-image', who, [['image', { name, bytes } satisfies UploadFile]])

/** Waits until the store has nothing of uploads but their prints. */
const noOriginals = () =>
  waitFor(async () => !(await media.keys()).some((key) => key.startsWith('originals/')), {
    what: 'the uploaded files are removed',
  })

test('converts an upload to a print image at a URL of its own, and removes the upload', async () => {
  const bytes = await sharp(await redAndBlue(900, 600))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { status, body } = await send(bytes)
  expect(status).toBe(201)
  expect(Object.keys(body).sort()).toEqual(['expiresAt', 'filename', 'height', 'url', 'width'])
  expect(body).toMatchObject({ width: 600, height: 900, url: `${PUBLIC_ORIGIN}/api/uploads/${body.filename}` })
  expect(body.filename).toMatch(/^p-[0-9a-f]{32}-/)
  expect(new Date(body.expiresAt).getTime()).toBeGreaterThan(Date.now() + 335 * 3_600_000)
  const image = await requests.fetched(body.filename)
  expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: 600, height: 900, space: 'srgb' })
  expect([await colourAt(image, 0.5, 0.2), await colourAt(image, 0.5, 0.8)]).toEqual(['red', 'blue'])
  expect((await requests.check(1, [body.filename]))[0]).toMatchObject({
    status: PrintImageStatus.READY,
    filename: body.filename,
    sourceWidth: 600,
    sourceHeight: 900,
  })
  expect((await requests.check(2, [body.filename]))[0]?.status).toBe(PrintImageStatus.NOT_FOUND)
  await noOriginals()
})

test("leaves none of the camera's metadata, least of all the position", async () => {
  const bytes = await dronePhoto({ latitude: 46.84, longitude: -91.99, takenAt: '2016:06:23 16:31:59' })
  const { body } = await send(bytes)
  const image = await requests.fetched(body.filename)
  const about = await sharp(image).metadata()
  expect([about.exif, about.xmp, about.iptc, about.icc]).toEqual(Array(4).fill(undefined))
  for (const text of ['DJI', '2016:06:23', 'GPS', 'http:']) expect(image.includes(text), text).toBe(false)
})

test('converts a PNG, its colours to sRGB', async () => {
  const png = withProfile(await quadrants(600, 400).png().toBuffer(), rgbProfile(ADOBE_RGB))
  const { status, body } = await send(png, 'image.png')
  expect(status).toBe(201)
  const colours = await coloursOf(await requests.fetched(body.filename))
  for (const [index, colour] of colours.entries()) {
    const expected = inSrgb(QUADRANTS[index] ?? [0, 0, 0], ADOBE_RGB)
    for (const [channel, value] of colour.entries()) expect(Math.abs(value - (expected[channel] ?? 0))).toBeLessThan(9)
  }
})

test('the same file again is the same image, for its user alone', async () => {
  const bytes = await jpeg(500, 400)
  const [first, second] = await Promise.all([send(bytes), send(bytes)])
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body).toEqual(first.body)
  expect((await send(bytes, 'photo-1.jpg', user(2))).body.filename).not.toBe(first.body.filename)
  expect(await media.db.printImage.count()).toBe(2)
  await noOriginals()
})

test.each<[string, () => Promise<Buffer>, number, string]>([
  ['a GIF', () => quadrants(400, 400).gif().toBuffer(), 415, 'not in an accepted format. Accepted formats: JPEG, PNG.'],
  ['a TIFF', () => quadrants(400, 400).tiff().toBuffer(), 415, 'not in an accepted format'],
  ['a text', async () => Buffer.from('<svg>no image</svg>'), 415, 'not in an accepted format'],
  ['an empty file', async () => Buffer.alloc(0), 400, 'is empty'],
  ['an image without its end', async () => (await jpeg()).subarray(0, -2), 400, 'is incomplete'],
  ['a small image', () => jpeg(299, 400), 400, 'has 299 x 400 pixels; at least 300 x 300 are needed'],
  ['a large file', () => jpegOfSize(25 * MB + 1), 413, 'is larger than 25 MB'],
])('rejects %s with a sentence in `error`, and stores nothing', async (_what, make, status, sentence) => {
  const rejected = await send(await make())
  expect(rejected).toMatchObject({ status, body: { error: expect.stringContaining(sentence) } })
  expect(rejected.body.message).toBe(rejected.body.error)
  expect(await media.db.printImage.count()).toBe(0)
  await noOriginals()
})

test('rejects an image with broken pixels, and accepts a whole one afterwards', async () => {
  const whole = await redAndBlue(1000, 800)
  const damaged = Buffer.concat([whole.subarray(0, whole.length >> 2), Buffer.from([0xff, 0xd9])])
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const rejected = await send(damaged)
    expect(rejected).toMatchObject({ status: 400, body: { error: 'The photo is damaged and cannot be printed.' } })
  }
  expect((await send(whole)).status).toBe(201)
  await noOriginals()
})

test('accepts a file of 25 MB', async () => {
  expect((await send(await jpegOfSize(25 * MB))).status).toBe(201)
})

test('rejects visitors, other fields, further files and a form without an image', async () => {
  const file: [string, UploadFile] = ['image', { name: 'a.jpg', bytes: await jpeg() }]
  const path = '/api/walgreens/upload-image'
  expect((await media.send(path, {}, [file])).status).toBe(401)
  expect((await media.send(path, me, [['folderId', '1'], file])).status).toBe(400)
  expect((await media.send(path, me, [file, ['isPublic', 'true']])).status).toBe(400)
  expect((await media.send(path, me, [['photo', file[1]]])).status).toBe(400)
  expect((await media.send(path, me, [file, file])).status).toBe(413)
  expect((await media.send(path, me, [])).body.error).toEqual(expect.any(String))
  expect(await media.db.printImage.count()).toBe(0)
  await noOriginals()
})

test('removes the file of an upload that the database neither committed nor rejected', async () => {
  await media.pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'terminating connection' USING ERRCODE = 'admin_shutdown'; END $$`)
  const mend = () => media.pool.query('DROP FUNCTION IF EXISTS fail CASCADE')
  onTestFinished(async () => void (await mend()))
  await media.pool.query('CREATE TRIGGER fail BEFORE INSERT ON print_images FOR EACH ROW EXECUTE FUNCTION fail()')
  const bytes = await jpeg()
  expect((await send(bytes)).status).toBe(503)
  await mend()
  // Later than any transaction that could keep it; those of other tests are due.
  const inAMinute = { key: { startsWith: 'originals/' }, notBefore: { gt: new Date(Date.now() + 30_000) } }
  await waitFor(() => media.db.objectRemoval.findFirst({ where: inAMinute }), { what: 'its removal is scheduled' })
  await media.db.objectRemoval.updateMany({ data: { notBefore: new Date() } })
  await noOriginals()
  expect((await send(bytes)).status).toBe(201)
})

test('says that a user has too many images, until some expire', async () => {
  const small = await startTestMedia()
  onTestFinished(small.close)
  await addPrintImages(small, 1, IMAGES_PER_USER - 1)
  small.startWorker()
  expect((await send(await jpeg(), 'a.jpg', me, small)).status).toBe(201)
  const rejected = await send(await jpeg(), 'a.jpg', me, small)
  expect(rejected).toMatchObject({ status: 429, body: { error: expect.stringContaining('too many images') } })
  expect((await send(await jpeg(), 'a.jpg', user(2), small)).status).toBe(201)
  await small.db.printImage.updateMany({ data: { expiresAt: new Date(Date.now() - 1000) } })
  expect((await send(await jpeg(), 'a.jpg', me, small)).status).toBe(201)
})

test('responds within 10 seconds although no worker runs, and a repetition finds the image', async () => {
  const slow = await startTestMedia()
  onTestFinished(slow.close)
  const bytes = await jpeg()
  const body = new FormData()
  body.append('image', new Blob([new Uint8Array(bytes)]), 'a.jpg')
  const began = performance.now()
  const late = await slow.call('/api/walgreens/upload-image', me, { method: 'POST', body })
  expect(performance.now() - began).toBeLessThan(10_000)
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await late.json()).toMatchObject({ error: expect.stringContaining('still being prepared') })
  slow.startWorker()
  const { id } = await waitFor(
    async () => (await slow.db.printImage.findFirst({ where: { status: 'ready' } })) ?? false,
    {
      what: 'the image is converted',
    },
  )
  const repeated = await send(bytes, 'a.jpg', me, slow)
  expect([repeated.status, repeated.body.filename]).toEqual([201, expect.stringContaining(id)])
})

test('drops an upload that stops sending, and stores nothing', async () => {
  const impatient = await startTestMedia({ api: { stallMs: 1_000 } })
  onTestFinished(impatient.close)
  const sending = request(`${impatient.origin}/api/walgreens/upload-image`, {
    method: 'POST',
    headers: { ...identityHeaders(me), 'content-type': 'multipart/form-data; boundary=b' },
  })
  sending.write('--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n')
  sending.write((await jpeg()).subarray(0, 500))
  await expect(once(sending, 'response')).rejects.toThrow('socket hang up')
  expect(await impatient.keys()).toEqual([])
})
