import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ObjectStore } from '@skyfolio/kit'
import { dronePhoto, samplePhotos } from '@skyfolio/testkit'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createScanner, detectFormat } from '../src/formats/detect-format.ts'
import { readTiff } from '../src/formats/tiff-structure.ts'
import { inspectStored } from '../src/uploads/inspect-stored.ts'
import { bitmaps } from './fixtures/bmp.ts'
import { noise } from './fixtures/noise.ts'
import { dng } from './fixtures/tiff.ts'

/** Another one looks for other damage. */
const SEED = Number(process.env.TEST_SEED) || 17
const CUTS = 50
const KB = 1024
const limits = {
  fileBytes: 2 ** 30,
  largeFileBytes: 2 ** 30,
  metadataFileBytes: 2 ** 30,
  filesPerUpload: 1,
  minWidth: 1,
  minHeight: 1,
  maxPixels: 300_000_000,
}

/** A store with one object, which adds up what is read of it. */
function storeOf(bytes: Buffer) {
  const reads = { bytes: 0 }
  const get: ObjectStore['get'] = async (_key, range) => {
    const part = bytes.subarray(range?.start ?? 0, (range?.end ?? bytes.length - 1) + 1)
    reads.bytes += part.length
    return { size: bytes.length, body: Readable.from([part]) }
  }
  return { store: { get } as ObjectStore, reads }
}

async function inspect(bytes: Buffer) {
  const { store, reads } = storeOf(bytes)
  const file = { id: '0'.repeat(32), name: 'x', size: bytes.length, sha256: '', purpose: 'gallery' as const }
  const result = await inspectStored({ store, limits }, file)
  const { format, dimensions } = result.inspected
  const message = 'rejection' in result ? result.rejection.message : null
  const problem = message && /is incomplete|not in an accepted format/.test(message) ? 'damaged' : message && 'refused'
  return { verdict: { format, dimensions, isDamaged: problem === 'damaged' }, problem, result, read: reads.bytes }
}

/** What the scanners find that read the whole file while a form is received. */
async function scanWhole(bytes: Buffer) {
  const format = detectFormat(bytes)
  const scanner = format && createScanner(format)
  if (scanner) {
    scanner.push(bytes)
    scanner.end()
    return { format, dimensions: scanner.size, isDamaged: !scanner.isComplete || !scanner.size }
  }
  if (!format) return { format, dimensions: null, isDamaged: true }
  const { width, height, isComplete, ...tiff } = await readTiff(bufferSource(bytes))
  return { format: tiff.format, dimensions: isComplete ? { width, height } : null, isDamaged: !isComplete }
}

/** Segments of metadata before the picture, as large as those of thermal cameras. */
function withSegments(jpeg: Buffer, count: number, bytes = 65_535): Buffer {
  return withFirst(jpeg, ...Array(count).fill(segmentOf(Buffer.alloc(bytes - 2, 0xd9ff))))
}

function segmentOf(content: Buffer): Buffer {
  const length = content.length + 2
  return Buffer.concat([Buffer.from([0xff, 0xe3, length >> 8, length & 255]), content])
}

function withFirst(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

const picture = await noise(500, 400).jpeg({ quality: 95 }).toBuffer()
const frames = await Promise.all([1, 2].map((seed) => noise(310, 305, seed).png().toBuffer()))
const files: [string, Buffer][] = [
  ['a JPEG', picture],
  ['a JPEG after much metadata', withSegments(picture, 5)],
  ['a JPEG after very many segments', withSegments(picture, 70, 65_535)],
  ['a JPEG with other data after its end', Buffer.concat([picture, Buffer.alloc(100_000)])],
  ['a JPEG before another one', Buffer.concat([picture, picture])],
  ['a progressive JPEG', await noise(500, 400).jpeg({ quality: 95, progressive: true }).toBuffer()],
  ['a small JPEG', await noise(300, 300).jpeg({ quality: 30 }).toBuffer()],
  ['a JPEG with a preview in its metadata', await dronePhoto({ latitude: 1, longitude: 1 })],
  ['a grey JPEG', await noise(500, 400).greyscale().jpeg({ quality: 95 }).toBuffer()],
  ['a PNG', await noise(310, 305).png({ progressive: true }).toBuffer()],
  [
    'a GIF',
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
  ],
  ['a TIFF', await noise(310, 305).tiff({ compression: 'none' }).toBuffer()],
  ['a DNG', dng({ previews: [{ jpeg: picture, width: 500, height: 400 }], width: 640, height: 480 })],
  ...Object.entries(bitmaps()),
]

describe.each(files)('the verdict on %s', (_what, bytes) => {
  test('is that of the whole file, complete, cut off anywhere, and with a wrong byte', {
    timeout: 60_000,
  }, async () => {
    expect((await inspect(bytes)).verdict).toEqual(await scanWhole(bytes))
    expect((await inspect(bytes)).verdict.isDamaged).toBe(false)
    for (let length = KB; length < bytes.length; length += Math.max(KB, Math.floor(bytes.length / CUTS))) {
      const cut = bytes.subarray(0, length)
      expect((await inspect(cut)).verdict).toEqual(await scanWhole(cut))
    }
    const changes = fc.array(fc.tuple(fc.nat(Math.min(bytes.length, 1500) - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    })
    const property = fc.asyncProperty(changes, async (changed) => {
      const damaged = Buffer.from(bytes)
      for (const [at, byte] of changed) damaged[at] = byte
      expect((await inspect(damaged)).verdict).toEqual(await scanWhole(damaged))
    })
    await fc.assert(property, { numRuns: 100, seed: SEED })
  })
})

// The first block of 64 KiB ends before the marker of the preview's segment, and after each of its four bytes.
test.each([65_532, 65_531, 65_530, 65_529, 65_528])(
  'a preview is not taken for the picture wherever a block ends, after a segment of %i bytes',
  async (bytes) => {
    const preview = await noise(40, 30).jpeg().toBuffer()
    const file = withFirst(picture, segmentOf(Buffer.alloc(bytes - 2)), segmentOf(preview))
    const dimensions = { width: 500, height: 400 }
    expect((await inspect(file)).verdict).toEqual({ format: 'jpg', dimensions, isDamaged: false })
  },
)

test('reads of a JPEG what is before the picture and its end, and of others what decides', async () => {
  const large = Buffer.concat([picture.subarray(0, -2), Buffer.alloc(5_000_000), picture.subarray(-2)])
  expect((await inspect(large)).read).toBe(64 * KB + 2)
  const { read, verdict } = await inspect(withSegments(large, 10))
  expect(verdict.isDamaged).toBe(false)
  expect(read).toBeLessThan(12 * 64 * KB)
})

test('counts the scans of a progressive JPEG', async () => {
  const progressive = await noise(500, 400).jpeg({ quality: 95, progressive: true }).toBuffer()
  expect((await inspect(progressive)).result.inspected.scans).toBeGreaterThan(5)
})

test('the original of an accepted file has the declared hash as a claim', async () => {
  const { result } = await inspect(picture)
  const filename = `${'0'.repeat(32)}.jpg`
  expect(result).toMatchObject({
    original: { filename, originalName: 'x', filesize: picture.length, sha256Verified: false, crc32: null },
  })
})

test('a file above the limit of its format is rejected before more of it is read, and one of another size fails', async () => {
  const { store, reads } = storeOf(picture)
  const file = { id: '0'.repeat(32), name: 'x', size: picture.length, sha256: '', purpose: 'gallery' as const }
  const refused = await inspectStored({ store, limits: { ...limits, fileBytes: KB } }, file)
  expect(refused).toMatchObject({ rejection: { status: 413 } })
  expect(reads.bytes).toBe(64 * KB + 2)
  await expect(inspectStored({ store, limits }, { ...file, size: picture.length + 1 })).rejects.toThrow(
    'bytes instead of',
  )
})

const samples = samplePhotos()
test.skipIf(!samples)('the verdict on the sample photos is that of the whole files', async () => {
  for (const path of [...(samples?.drone ?? []), ...(samples?.exif ?? [])]) {
    const bytes = await readFile(path)
    expect((await inspect(bytes)).verdict).toEqual(await scanWhole(bytes))
  }
})
