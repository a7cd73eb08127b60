import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { Format } from '@skyfolio/proto'
import { dronePhoto, samplePhotos, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, objectKeysOf, originalKey } from '../src/files/object-keys.ts'
import type { Photo } from '../src/generated/client.ts'
import { bitmaps } from './fixtures/bmp.ts'
import { quadrants } from './fixtures/quadrants.ts'
import { dng, FLIGHT, page, tiff } from './fixtures/tiff.ts'
import { startTestMedia, type TestMedia } from './support.ts'

let media: TestMedia
let worker: ReturnType<TestMedia['startWorker']>
beforeAll(async () => {
  media = await startTestMedia()
  worker = media.startWorker()
})
afterAll(() => media.close())

/** Stores a photo as an upload does, without checking the limits. */
async function store(bytes: Buffer, format: Format): Promise<number> {
  const filename = `${newId()}.${format}`
  await media.store.put(originalKey(filename), Readable.from([bytes]), { contentType: 'application/octet-stream' })
  const data = { userId: 1, title: 'photo', filename, originalName: '', filesize: bytes.length, sha256: randomUUID() }
  return (await media.db.photo.create({ data })).id
}

async function process(bytes: Buffer, format: Format): Promise<Photo> {
  const id = await store(bytes, format)
  await media.processed(id)
  return media.photo(id)
}

const FORMATS: Record<string, Format> = {
  '.jpg': 'jpg',
  '.png': 'png',
  '.tif': 'tif',
  '.tiff': 'tif',
  '.gif': 'gif',
  '.bmp': 'bmp',
  '.dng': 'dng',
}
const samples = samplePhotos()

test.skipIf(!samples)('every sample file becomes ready, or has a reason why not', async () => {
  const { drone, exif } = samples ?? { drone: [], exif: [] }
  const expected: Record<string, string | number>[] = JSON.parse(
    await readFile(join(drone[0] ?? '', '../../expected.json'), 'utf8'),
  )
  expect(exif.length).toBeGreaterThan(10)
  const photos = await Promise.all(
    exif.map(async (path) => ({
      name: basename(path),
      photo: await process(readFileSync(path), FORMATS[extname(path)] as Format),
    })),
  )
  for (const { name, photo } of photos) {
    const status = name === 'corrupted.jpg' ? 'failed' : 'ready'
    expect([name, photo.status]).toEqual([name, status])
    expect([name, photo.statusMessage !== null]).toEqual([name, status === 'failed'])
    const isDng = name.endsWith('.dng')
    expect([name, photo.thumbnail !== null]).toEqual([name, status === 'ready' && !isDng])

    const exifTool = expected.find((file) => file.FileName === name) ?? {}
    const toNumber = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
    if (exifTool.GPSLatitude) {
      expect(Math.abs(Number(photo.latitude) - toNumber(exifTool.GPSLatitude)), name).toBeLessThan(1e-6)
      expect(Math.abs(Number(photo.longitude) - toNumber(exifTool.GPSLongitude)), name).toBeLessThan(1e-6)
    } else expect([name, photo.latitude]).toEqual([name, null])
    const taken = typeof exifTool.DateTimeOriginal === 'string' ? exifTool.DateTimeOriginal : null
    expect([name, photo.dateTaken?.slice(0, 19) ?? null]).toEqual([
      name,
      taken?.replace(/^(\d+):(\d+):(\d+) /, '$1-$2-$3T') ?? null,
    ])
  }
})

test('a DNG has the preview of its camera, no thumbnail, and its position, although they are after the pixels', async () => {
  const jpeg = await quadrants(1600, 1200).jpeg().toBuffer()
  const bytes = dng({ previews: [{ jpeg, width: 1600, height: 1200 }], width: 4000, height: 3000, orientation: 8 })
  expect(await process(bytes, 'dng')).toMatchObject({
    status: 'ready',
    width: 3000,
    height: 4000,
    small: null,
    thumbnail: null,
    medium: null,
    thumbhash: null,
    preview: expect.stringMatching(/^[0-9a-f]{32}\.webp$/),
    dateTaken: '2024-05-06T07:08:09',
    city: 'Duluth',
  })
})

test('processes a TIFF that is too large to be held in memory, including its metadata', async () => {
  const [width, height] = [4000, 3000]
  const original = tiff([{ ...page(Buffer.alloc(width * height * 3, 100), width, height), ...FLIGHT }])
  expect(original.length).toBeGreaterThan(33_600_000)
  const photo = await process(original, 'tif')
  expect(photo).toMatchObject({ status: 'ready', width, height, city: 'Duluth', dateTaken: '2024-05-06T07:08:09' })
})

/** The isolated process of a worker, on Linux. */
function isolatedProcessOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('isolated-process'))
}

test.skipIf(globalThis.process.platform !== 'linux')(
  'an isolated process that is killed makes only its photo fail, with a sentence',
  async () => {
    // A small file that has 49 megapixels for the decoder.
    const large = Buffer.from(bitmaps()['run lengths of 8 bits'] as Buffer)
    large.writeInt32LE(7000, 18)
    large.writeInt32LE(7000, 22)
    const id = await store(large, 'bmp')
    const neighbour = await store(await quadrants().jpeg().toBuffer(), 'jpg')
    const child = await waitFor(() => isolatedProcessOf(worker.pid ?? 0), { what: 'an isolated process runs' })

    globalThis.process.kill(child, 'SIGKILL')
    expect(await media.processed(id)).toMatchObject({
      status: 'failed',
      statusMessage: 'The photo could not be processed. The original file is kept.',
      starts: 1,
    })
    expect(await media.processed(neighbour)).toMatchObject({ status: 'ready' })
    expect(worker.exitCode).toBeNull()
  },
)

test('a photo that is processed again stays the same, and its old objects are removed', async () => {
  const id = await store(await dronePhoto({ latitude: 40.7033, longitude: -73.9903 }), 'jpg')
  await media.processed(id)
  const before = await media.photo(id)
  await media.db.photo.update({ where: { id }, data: { status: 'processing', run: { increment: 1 }, starts: 0 } })
  await media.processed(id)
  const after = await media.photo(id)
  expect(after.thumbnail).not.toBe(before.thumbnail)
  const { small, thumbnail, medium, preview, revision } = before
  expect({ ...after, small, thumbnail, medium, preview, revision, run: 0 }).toEqual(before)

  await waitFor(async () => (await media.db.objectRemoval.count()) === 0, { what: 'replaced objects are removed' })
  const photos = await media.db.photo.findMany()
  expect(await media.keys()).toEqual(photos.flatMap(objectKeysOf).sort())
})
