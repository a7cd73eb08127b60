import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { dronePhoto, packagedPhotos, samplePhotos, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { thumbHashToRGBA } from 'thumbhash'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { objectKeysOf } from '../src/files/object-keys.ts'
import { jobIdOf } from '../src/jobs/queues.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { WRONG_FILE } from '../src/photos/status.ts'
import type { FailedJob } from '../src/routes/jobs.ts'
import { admin, jpeg, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let worker: ReturnType<TestMedia['startWorker']>
beforeAll(async () => {
  // However busy the machine is, a worker that ends finishes its photo.
  media = await startTestMedia({ env: { DRAIN_SECONDS: '60' } })
  worker = media.startWorker()
})
afterAll(() => media.close())

const me = user(1)

/** Uploads a file, waits for the worker, and returns the photo as its owner sees it. */
async function process(bytes: Buffer): Promise<PhotoResponse> {
  const { id } = await media.upload(1, {}, bytes)
  await media.processed(id)
  const all = await media.json<PhotoResponse[]>('/api/photos', me)
  return all.find((photo) => photo.id === id) as PhotoResponse
}

async function fetched(url: string | null): Promise<Buffer> {
  return Buffer.from(await (await media.call(url ?? '', me)).arrayBuffer())
}

test("sets metadata, place, thumbnail and preview of a drone's photo", async () => {
  const original = await dronePhoto({
    base: packagedPhotos()[1],
    latitude: 46.8426071,
    longitude: -91.9945599,
    altitude: 198.31,
    relativeAltitude: 39.8,
    takenAt: '2016:06:23 16:31:59',
    gimbal: { roll: 0, yaw: 45, pitch: -89.9 },
  })
  const photo = await process(original)
  expect(photo).toMatchObject({
    status: 'ready',
    statusMessage: null,
    altitude: 198.31,
    city: 'Duluth',
    county: 'Saint Louis County',
    state: 'Minnesota',
    dateTaken: '2016-06-23T16:31:59',
    width: 1024,
    height: 750,
    metadata: {
      Make: 'DJI',
      Model: 'FC300S',
      ExposureTime: 0.0025,
      FNumber: 2.8,
      ISO: 100,
      ExifImageWidth: 1024,
      ExifImageHeight: 750,
      DateTimeOriginal: '2016-06-23T16:31:59',
      drone: { AbsoluteAltitude: 198.31, RelativeAltitude: 39.8, GimbalYawDegree: 45, GimbalPitchDegree: -89.9 },
    },
  })
  expect(Number(photo.latitude)).toBeCloseTo(46.8426071, 6)
  expect(Number(photo.longitude)).toBeCloseTo(-91.9945599, 6)
  expect((await media.photo(photo.id)).revision).toBe(2)

  const thumbnail = await sharp(await fetched(photo.thumbnailUrl)).metadata()
  expect(thumbnail).toMatchObject({ format: 'webp', width: 640, height: 469, space: 'srgb' })
  const preview = await sharp(await fetched(photo.previewUrl)).metadata()
  expect(preview).toMatchObject({ format: 'webp', width: 1024, height: 750 })
  for (const made of [thumbnail, preview])
    expect([made.exif, made.xmp, made.icc, made.iptc]).toEqual(Array(4).fill(undefined))
  const hash = thumbHashToRGBA(Buffer.from(photo.thumbhash ?? '', 'base64'))
  expect(hash.w / hash.h).toBeCloseTo(1024 / 750, 0)
  expect((await fetched(photo.url)).equals(original)).toBe(true)
})

test('leaves the metadata of a photo without any empty', async () => {
  const photo = await process(await jpeg(400, 300))
  expect(photo).toMatchObject({
    status: 'ready',
    metadata: null,
    latitude: null,
    longitude: null,
    altitude: null,
    city: null,
    county: null,
    state: null,
    dateTaken: null,
    width: 400,
    height: 300,
  })
})

test('rotates a photo upright and converts its colours to sRGB', async () => {
  const half = await sharp({ create: { width: 200, height: 400, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer()
  const lying = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#0000ff' } })
    .composite([{ input: half, left: 0, top: 0 }])
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 })
    .jpeg({ chromaSubsampling: '4:4:4', quality: 100 })
    .toBuffer()
  const wide = await sharp(lying).resize(600, 400, { fit: 'fill' }).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const photo = await process(wide)
  expect(photo).toMatchObject({ width: 400, height: 600 })
  const { data, info } = await sharp(await fetched(photo.previewUrl))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect(info).toMatchObject({ width: 400, height: 600, channels: 3 })
  // Rotated to the right, the left half is on top.
  const pixel = (x: number, y: number) => [...data.subarray((y * 400 + x) * 3, (y * 400 + x) * 3 + 3)]
  const [top, bottom] = [pixel(200, 100), pixel(200, 500)]
  expect(top[0]).toBeGreaterThan(200)
  expect(top[2]).toBeLessThan(60)
  expect(bottom[2]).toBeGreaterThan(200)
})

test('renders a grey and a CMYK photo in colour', async () => {
  const grey = await sharp(packagedPhotos()[0]).greyscale().jpeg().toBuffer()
  const cmyk = await sharp(packagedPhotos()[0]).toColourspace('cmyk').jpeg().toBuffer()
  for (const bytes of [grey, cmyk]) {
    const photo = await process(bytes)
    expect(photo.status).toBe('ready')
    expect(await sharp(await fetched(photo.thumbnailUrl)).metadata()).toMatchObject({ space: 'srgb', channels: 3 })
  }
})

test('renders a preview of 2048 pixels for a large photo', async () => {
  const photo = await process(await sharp(packagedPhotos()[2]).resize(3000).jpeg().toBuffer())
  expect(await sharp(await fetched(photo.previewUrl)).metadata()).toMatchObject({ width: 2048, height: 968 })
})

test('keeps a damaged photo, and reports the damage', async () => {
  const damaged = await dronePhoto({ latitude: 40.7033, longitude: -73.9903 })
  const middle = damaged.length >> 1
  damaged.fill(0xff, middle, middle + 20_000)
  for (let at = middle; at < middle + 20_000; at += 2) damaged[at + 1] = 0xd1
  const photo = await process(damaged)
  expect(photo).toMatchObject({
    status: 'failed',
    statusMessage: 'The photo is damaged and cannot be shown. The original file is kept.',
    thumbnailUrl: null,
    previewUrl: null,
    city: 'New York City',
  })
  expect((await fetched(photo.url)).equals(damaged)).toBe(true)
})

test('accepts oddities of real files that do not affect pixels', async () => {
  const odd = await jpeg(600, 400)
  // Some cameras write another first coefficient than 0 into the header of the scan.
  odd[odd.indexOf(Buffer.from([0xff, 0xda])) + 11] = 5
  expect(await process(odd)).toMatchObject({ status: 'ready', width: 600 })
})

const begun = (id: number) => waitFor(async () => (await media.photo(id)).starts > 0, { what: 'the worker has begun' })

test('processes the photo of a killed worker again', async () => {
  const large = await sharp(packagedPhotos()[3]).resize(4000).jpeg({ progressive: true, quality: 95 }).toBuffer()
  const { id } = await media.upload(1, {}, large)
  await begun(id)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  expect(await media.photo(id)).toMatchObject({ status: 'processing', starts: 1 })

  worker = media.startWorker()
  expect(await media.processed(id)).toMatchObject({ status: 'ready', starts: 2, revision: 2 })
  const changes = await media.db.outbox.count({ where: { subject: 'media.photo.changed' } })
  expect(changes).toBe(2 * (await media.db.photo.count()))
})

test('ignores the result of a frozen worker whose photo another one has processed', async () => {
  const large = await sharp(packagedPhotos()[3]).resize(3900).jpeg({ progressive: true, quality: 95 }).toBuffer()
  const { id } = await media.upload(1, {}, large)
  await begun(id)
  const frozen = worker
  frozen.kill('SIGSTOP')
  worker = media.startWorker()
  const done = await media.processed(id)
  frozen.kill('SIGCONT')
  frozen.kill('SIGTERM')
  await once(frozen, 'exit')
  expect(await media.photo(id)).toEqual(done)
  const known = await media.db.photo.findMany({ where: { status: 'ready' } })
  const renditionsAmong = (keys: string[]) => keys.filter((key) => key.startsWith('renditions/')).sort()
  const names = renditionsAmong(known.flatMap(objectKeysOf))
  // The frozen worker may have stored its renditions before it knew; then they are removed in the background.
  const stored = async () => renditionsAmong(await media.keys())
  await waitFor(async () => isDeepStrictEqual(await stored(), names), {
    what: 'only the renditions of photos are stored',
  })
})

test('gives up on a photo that kills its workers repeatedly', async () => {
  const large = await sharp(packagedPhotos()[3]).resize(4100).jpeg({ progressive: true, quality: 95 }).toBuffer()
  const photo = await media.upload(1, {}, large)
  await begun(photo.id)
  const jobs = await media.queues.photos.ready()
  const jobId = jobIdOf('photos', { id: photo.id, run: 0 })
  // As if it had killed three workers before.
  await media.redis.hset(jobs.toKey(jobId), 'stc', '3')
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  worker = media.startWorker()
  const failed = await media.processed(photo.id)
  expect(failed).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringContaining('could not be processed'),
    starts: 1,
    revision: 2,
  })

  const failedJobs = () => media.json<FailedJob[]>('/api/admin/failed-jobs', admin)
  const retry = () => media.call(`/api/admin/failed-jobs/photos/${jobId}/retry`, admin, { method: 'POST' })
  const job = { id: jobId, queue: 'photos', userId: 1, reason: 'job stalled more than allowable limit' }
  expect(await failedJobs()).toEqual([expect.objectContaining(job)])
  expect((await retry()).status).toBe(204)
  await waitFor(async () => (await media.photo(photo.id)).status === 'ready', { what: 'it is processed after all' })
  expect(await failedJobs()).toEqual([])
  expect((await retry()).status).toBe(404)
})

test('jobs that Redis has lost are added again, also those of photos that a worker has begun', async () => {
  const large = await sharp(packagedPhotos()[3]).resize(3800).jpeg({ progressive: true, quality: 95 }).toBuffer()
  const ids = [(await media.upload(1, {}, large)).id, (await media.upload(1)).id]
  await begun(ids[0] ?? 0)
  await media.redis.flushall()
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  worker = media.startWorker()
  for (const id of ids) expect(await media.processed(id)).toMatchObject({ status: 'ready' })
})

test('removes the objects of a deleted photo from the store', async () => {
  const photo = await process(await jpeg())
  const row = await media.photo(photo.id)
  await media.call(`/api/photos/${photo.id}`, me, { method: 'DELETE' })
  const keys = objectKeysOf(row)
  expect(keys).toHaveLength(3)
  await waitFor(async () => !(await media.keys()).some((key) => keys.includes(key)), {
    what: 'the objects are gone',
  })
})

test('processes the photos of all users again by the command, from an id on, keeps corrections, and prints its progress', async () => {
  const shot = await dronePhoto({ latitude: 46.8, longitude: -91.9, gimbal: { roll: 0, yaw: 45, pitch: -90 } })
  const ids: number[] = []
  for (const userId of [71, 71, 72]) {
    const { id } = await media.upload(
      userId,
      {},
      await sharp(shot)
        .keepMetadata()
        .resize(600 + ids.length)
        .jpeg()
        .toBuffer(),
    )
    await media.processed(id)
    ids.push(id)
  }
  const [before = 0, corrected = 0, last = 0] = ids
  const json = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"latitude":"1","longitude":"2"}',
  }
  expect((await media.call(`/api/photos/${corrected}`, user(71), json)).status).toBe(200)
  await media.db.photo.updateMany({ where: { id: { in: ids } }, data: { metadata: {}, dateTaken: 'never' } })
  const command = (...args: string[]) => {
    const file = fileURLToPath(new URL('../src/commands/reprocess.ts', import.meta.url))
    return promisify(execFile)(globalThis.process.execPath, [file, ...args], {
      env: { ...globalThis.process.env, ...media.env },
    })
  }
  const { stdout } = await command('--after', String(before))
  expect(stdout).toBe(`2 of 2 photos processed again, up to id ${last}\nAll is done: 2 photos.\n`)
  expect(await media.photo(before)).toMatchObject({ metadata: {} })
  for (const id of [corrected, last])
    expect(await media.photo(id)).toMatchObject({ status: 'ready', metadata: { heading: 45 } })
  expect(await media.photo(corrected)).toMatchObject({ dateTaken: '2024-05-06T07:08:09' })
  expect(String((await media.photo(corrected))?.latitude)).toBe('1')
  for (const statusMessage of [WRONG_FILE.statusMessage, 'any']) {
    await media.db.photo.update({ where: { id: last }, data: { status: 'failed', statusMessage } })
    if (statusMessage === 'any') await media.db.failedUpload.create({ data: { userId: 72, photoId: last } })
    expect((await command('--after', String(corrected))).stdout).toBe('All is done: 0 photos.\n')
  }
  await expect(command('--all')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
})

const samples = samplePhotos()

interface Expected {
  FileName: string
  ImageWidth: number
  ImageHeight: number
  [tag: string]: string | number
}

test.skipIf(!samples)(
  'the sample photographs give what ExifTool reads from them',
  async () => {
    const { drone, exif } = samples ?? { drone: [], exif: [] }
    const expected: Expected[] = JSON.parse(await readFile(join(drone[0] ?? '', '../../expected.json'), 'utf8'))
    const large = (file: Expected) => Math.min(file.ImageWidth, file.ImageHeight) >= 300 && file.FileType === 'JPEG'
    const checked = expected.filter(large)
    expect(checked.length).toBeGreaterThan(10)
    for (const file of checked) {
      const path = [...drone, ...exif].find((candidate) => basename(candidate) === file.FileName) ?? ''
      const photo = await process(await readFile(path))
      const damaged = file.FileName === 'corrupted.jpg'
      expect([file.FileName, photo.status]).toEqual([file.FileName, damaged ? 'failed' : 'ready'])
      if (!damaged) {
        const turned = Number(file.Orientation ?? 1) > 4
        const size = turned ? [file.ImageHeight, file.ImageWidth] : [file.ImageWidth, file.ImageHeight]
        expect([photo.width, photo.height]).toEqual(size)
      }
      if (drone.includes(path))
        expect([photo.city, photo.county, photo.state]).toEqual(['Duluth', 'Saint Louis County', 'Minnesota'])
      compare(file, photo)
    }
  },
  300_000,
)

function compare(file: Expected, photo: PhotoResponse): void {
  const metadata: Record<string, unknown> = { ...photo.metadata, ...photo.metadata?.drone }
  const date = String(file.DateTimeOriginal ?? '').replace(/^(\d+):(\d+):(\d+) /, '$1-$2-$3T')
  // Zones are tested elsewhere.
  const local = (read: string | null | undefined) => (read ?? '').slice(0, 19)
  expect(local(photo.metadata?.DateTimeOriginal)).toBe(date)
  if (date) expect(local(photo.dateTaken)).toBe(date)
  for (const tag of ['Make', 'Model']) expect(metadata[tag] ?? '').toBe(file[tag] ?? '')
  const numbers = ['ExposureTime', 'FNumber', 'ISO', 'FocalLength', 'AbsoluteAltitude', 'RelativeAltitude']
  const angles = ['Gimbal', 'Flight'].flatMap((part) => ['Roll', 'Yaw', 'Pitch'].map((axis) => `${part}${axis}Degree`))
  for (const tag of [...numbers, ...angles]) {
    if (file[tag] === undefined) expect(metadata[tag]).toBeUndefined()
    else expect(metadata[tag]).toBeCloseTo(Number(file[tag]), 6)
  }
  const positions = { latitude: file.GPSLatitude, longitude: file.GPSLongitude }
  for (const [name, value] of Object.entries(positions)) {
    const found = photo[name as 'latitude' | 'longitude']
    if (value === undefined || value === '') expect(found).toBeNull()
    else expect(Math.abs(Number(found) - Number(value))).toBeLessThan(1e-6)
  }
}
