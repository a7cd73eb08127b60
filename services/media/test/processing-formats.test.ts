import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Format } from '@skyfolio/proto'
import { dronePhoto, reportedFiles, samplePhotos, waitFor } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, objectKeysOf, originalKey, renditionKey } from '../src/files/object-keys.ts'
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
    // One holds temperatures.
    expect([name, photo.statusMessage !== null]).toEqual([name, status === 'failed' || name === '001.tif'])
    const isDng = name.endsWith('.dng')
    expect([name, photo.thumbnail !== null]).toEqual([name, status === 'ready' && !isDng])

    const exifTool = expected.find((file) => file.FileName === name) ?? {}
    const toNumber = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
    if (exifTool.GPSLatitude) {
      expect(Math.abs(Number(photo.latitude) - toNumber(exifTool.GPSLatitude)), name).toBeLessThan(1e-6)
      expect(Math.abs(Number(photo.longitude) - toNumber(exifTool.GPSLongitude)), name).toBeLessThan(1e-6)
    } else expect([name, photo.latitude]).toEqual([name, null])
    // Without it another date of the file counts.
    const taken = exifTool.DateTimeOriginal
    if (typeof taken !== 'string') continue
    const iso = taken.replace(/^(\d+):(\d+):(\d+) /, '$1-$2-$3T')
    expect([name, photo.dateTaken?.slice(0, 19)]).toEqual([name, iso])
  }
})

interface ReportedPicture {
  width?: number
  height?: number
  preview?: {
    opaque?: boolean
    size?: string
    /** By position, as fractions; or in the middle of each sixth of the width, at half height. */
    pixels?: Record<string, number[]>
    patchesAtHalfHeight?: number[][]
    tolerance?: number
    contrast?: { percentiles: [number, number]; atLeast: number }
  }
}

async function expectPreview(name: string, photo: Photo, { width, height, preview = {} }: ReportedPicture) {
  expect({ name, ...photo }).toMatchObject({
    name,
    status: 'ready',
    ...(width && { width }),
    ...(height && { height }),
  })
  if (photo.preview === null) return
  const object = await media.store.get(renditionKey(photo.preview))
  const bytes = await buffer(object?.body ?? Readable.from([]))
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const { opaque, size, pixels = {}, patchesAtHalfHeight = [], tolerance = 0, contrast } = preview
  if (opaque) expect([name, info.channels]).toEqual([name, 3])
  if (size) expect([name, `${info.width}x${info.height}`]).toEqual([name, size])
  const patches = patchesAtHalfHeight.map((colour, index) => [[(index + 0.5) / 6, 0.5], colour] as const)
  const points = Object.entries(pixels).map(([at, colour]) => [at.split(',').map(Number), colour] as const)
  for (const [[x = 0, y = 0], colour] of [...patches, ...points]) {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    for (const [channel, value] of colour.entries())
      expect(Math.abs((data[at + channel] ?? 999) - value), `${name} at ${x}, ${y}`).toBeLessThanOrEqual(tolerance)
  }
  if (!contrast) return
  const grey = (await sharp(bytes).greyscale().raw().toBuffer()).sort()
  const [low = 0, high = 0] = contrast.percentiles.map(
    (percent) => grey[Math.floor(((grey.length - 1) * percent) / 100)],
  )
  expect(high - low, name).toBeGreaterThanOrEqual(contrast.atLeast)
}

// And a PNG that lies on its side, which its EXIF in a text says.
const pictures = reportedFiles().filter(({ id, path }) => id.startsWith('P') || path.endsWith('orientation.png'))

test.skipIf(pictures.length === 0)('reported pictures look like the original', async () => {
  const photos = await Promise.all(
    pictures.map(async ({ path, expected, isGuard }) => ({
      ...{ name: basename(path), expected: expected as ReportedPicture, isGuard },
      photo: await process(readFileSync(path), FORMATS[extname(path)] as Format),
    })),
  )
  for (const { name, expected, isGuard, photo } of photos) {
    await expectPreview(name, photo, expected)
    const isExplained = name.startsWith('P4') || name === 'P5-dng17-jxl.dng'
    expect([name, photo.statusMessage !== null]).toEqual([name, isExplained && !isGuard])
  }
})

test('a TIFF that cannot be shown fails at once, with a sentence', async () => {
  const image = { ...page(Buffer.alloc(300 * 300 * 3), 300, 300), 339: [6] }
  expect(await process(tiff([image]), 'tif')).toMatchObject({
    status: 'failed',
    statusMessage: 'This TIFF cannot be shown: its values are complex numbers. The original file is kept.',
    starts: 1,
  })
})

const RENDITION = expect.stringMatching(/^[0-9a-f]{32}\.webp$/)

test('a DNG has the preview of its camera in all sizes, and its position, although they are after the pixels', async () => {
  const jpeg = await quadrants(1600, 1200).jpeg().toBuffer()
  const bytes = dng({ previews: [{ jpeg, width: 1600, height: 1200 }], width: 4000, height: 3000, orientation: 8 })
  expect(await process(bytes, 'dng')).toMatchObject({
    status: 'ready',
    width: 3000,
    height: 4000,
    small: RENDITION,
    thumbnail: RENDITION,
    medium: null,
    preview: RENDITION,
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
