import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { dronePhoto, packagedPhotos, samplePhotos } from '@skyfolio/testkit'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { BmpScanner } from '../src/formats/bmp-scanner.ts'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createScanner, detectFormat, HEAD_BYTES } from '../src/formats/detect-format.ts'
import { GifScanner } from '../src/formats/gif-scanner.ts'
import type { ImageScanner } from '../src/formats/image-scanner.ts'
import { JpegScanner } from '../src/formats/jpeg-scanner.ts'
import { PngScanner } from '../src/formats/png-scanner.ts'
import { readTiff } from '../src/formats/tiff-structure.ts'
import { bitmaps } from './fixtures/bmp.ts'
import { noise } from './fixtures/noise.ts'

function scan(scanner: ImageScanner, ...chunks: Buffer[]) {
  for (const chunk of chunks) scanner.push(chunk)
  scanner.end()
  return { size: scanner.size, isComplete: scanner.isComplete }
}

/** The bytes, split at random positions. */
const split = (bytes: Buffer) =>
  fc.array(fc.nat(bytes.length), { maxLength: 12 }).map((cuts) => {
    const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
    return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
  })

const frames = await Promise.all([1, 2, 3].map((seed) => noise(310, 305, seed).png().toBuffer()))
const images: [string, () => ImageScanner, Buffer, { width: number; height: number }][] = [
  [
    // With metadata before the image, and several scans.
    'a progressive JPEG',
    () => new JpegScanner(),
    await sharp(await dronePhoto({ latitude: 1, longitude: 1 }))
      .keepMetadata()
      .jpeg({ progressive: true })
      .toBuffer(),
    { width: 1024, height: 717 },
  ],
  [
    'an interlaced PNG',
    () => new PngScanner(),
    await noise(400, 301).png({ progressive: true }).toBuffer(),
    { width: 400, height: 301 },
  ],
  [
    'an animated GIF',
    () => new GifScanner(),
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
    { width: 310, height: 305 },
  ],
  ['a BMP', () => new BmpScanner(), bitmaps()['24 bits from the bottom'] as Buffer, { width: 401, height: 301 }],
]

describe.each(images)('the scanner of %s', (_what, make, whole, size) => {
  test('finds size and end however the bytes are split, and by single bytes', () => {
    fc.assert(
      fc.property(split(whole), (chunks) => {
        expect(scan(make(), ...chunks)).toEqual({ size, isComplete: true })
      }),
      { numRuns: 50 },
    )
    const head = Array.from(whole.subarray(0, 3000), (byte) => Buffer.from([byte]))
    expect(scan(make(), ...head, whole.subarray(3000))).toEqual({ size, isComplete: true })
  })

  test('reports an incomplete file wherever it is cut off', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 2), (length) => !scan(make(), whole.subarray(0, length)).isComplete),
      { numRuns: 100 },
    )
  })

  test('accepts other data after the end', () => {
    expect(scan(make(), whole, Buffer.from('<script>alert(1)</script>')).isComplete).toBe(true)
  })

  test('never throws, whatever the bytes, and does not depend on where they are split', () => {
    const changed = fc
      .array(fc.tuple(fc.nat(Math.min(whole.length - 1, 500)), fc.nat(255)), { maxLength: 20 })
      .map((changes) => {
        const bytes = Buffer.from(whole.subarray(0, 20_000))
        for (const [at, byte] of changes) bytes[at] = byte
        return bytes
      })
    const any = fc.oneof(
      changed,
      fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.concat([whole.subarray(0, 60), bytes])),
    )
    fc.assert(
      fc.property(
        any.chain((bytes) => fc.tuple(fc.constant(bytes), split(bytes))),
        ([bytes, chunks]) => {
          expect(scan(make(), ...chunks)).toEqual(scan(make(), bytes))
        },
      ),
    )
  })
})

test('the end of the thumbnail in the metadata is not the end of a JPEG', () => {
  const thumbnail = [0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9]
  const bytes = [0xff, 0xd8, 0xff, 0xe1, 0, thumbnail.length + 2, ...thumbnail]
  expect(scan(new JpegScanner(), Buffer.from(bytes)).isComplete).toBe(false)
})

test('a PNG and a GIF without an image are incomplete, and so is a PNG that does not start with its size', async () => {
  const png = await noise(300, 300).png().toBuffer()
  const [head, end] = [png.subarray(0, 33), png.subarray(-12)]
  expect(scan(new PngScanner(), head, end)).toEqual({ size: { width: 300, height: 300 }, isComplete: false })
  expect(scan(new PngScanner(), png.subarray(0, 8), png.subarray(33))).toEqual({ size: null, isComplete: false })
  const gif = Buffer.from('GIF89a\x2c\x01\x2c\x01\0\0\0;', 'latin1')
  expect(scan(new GifScanner(), gif)).toEqual({ size: { width: 300, height: 300 }, isComplete: false })
})

test.each(Object.entries(bitmaps()))(
  'a BMP of %s is detected by its header, and incomplete without its last byte',
  (_kind, bytes) => {
    expect(detectFormat(bytes)).toBe('bmp')
    expect(scan(new BmpScanner(), bytes)).toEqual({ size: { width: 401, height: 301 }, isComplete: true })
    expect(scan(new BmpScanner(), bytes.subarray(0, -1)).isComplete).toBe(false)
  },
)

test('reads the shorter header of a BMP of the first Windows', () => {
  const bytes = Buffer.alloc(26 + 300 * 300 * 3)
  bytes.write('BM')
  bytes.writeUInt32LE(26, 10)
  bytes.writeUInt32LE(12, 14)
  for (const [index, value] of [300, 300, 1, 24].entries()) bytes.writeUInt16LE(value, 18 + index * 2)
  expect(scan(new BmpScanner(), bytes)).toEqual({ size: { width: 300, height: 300 }, isComplete: true })
  expect(scan(new BmpScanner(), bytes.subarray(0, -1)).isComplete).toBe(false)
})

test('detects one of the formats or none, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const kind = detectFormat(Buffer.from(bytes))
      if (kind) createScanner(kind)
    }),
  )
})

test.each<[string, string | Buffer]>([
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['HTML', '<!DOCTYPE html><html><body onload="alert(1)">'],
  ['a page that starts like a bitmap', 'BM<html><script>alert(1)</script></html>'],
  ['PDF', '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj'],
  ['ZIP', Buffer.from('504b03041400000008000000210000000000', 'hex')],
  ['HEIC', Buffer.from('000000206674797068656963000000006d696631', 'hex')],
  ['WebP', Buffer.from('524946462400000057454250565038202400', 'hex')],
  ["Canon's CR3", Buffer.from('0000001866747970637278200000000163727820', 'hex')],
  ["Olympus's ORF", Buffer.from('4949524f08000000160001010300010000000000', 'hex')],
  ["Panasonic's RW2", Buffer.from('4949550018000000880000000000000000000000', 'hex')],
  ["Fujifilm's RAF", 'FUJIFILMCCD-RAW 0201FF383501X-T1'],
  ['an empty file', ''],
])('%s is not an accepted format', (_what, bytes) => {
  expect(detectFormat(Buffer.from(bytes))).toBeNull()
})

const samples = samplePhotos()
const sampleFiles = samples ? [...samples.drone, ...samples.exif] : []

test.skipIf(!samples)('detects format and size of the sample photos as ExifTool does', async () => {
  const expected: { FileName: string; FileType: string; ImageWidth: number; ImageHeight: number }[] = JSON.parse(
    await readFile(join(sampleFiles[0] ?? '', '../../expected.json'), 'utf8'),
  )
  const kinds: Record<string, string> = { JPEG: 'jpg', PNG: 'png', GIF: 'gif', BMP: 'bmp', TIFF: 'tif', DNG: 'dng' }
  const found = await Promise.all(
    sampleFiles.map(async (path) => {
      const bytes = await readFile(path)
      const kind = detectFormat(bytes.subarray(0, HEAD_BYTES))
      const scanner = kind && createScanner(kind)
      if (scanner) return { name: basename(path), format: kind, ...scan(scanner, bytes).size }
      const { format, width, height } = await readTiff(bufferSource(bytes))
      return { name: basename(path), format, width, height }
    }),
  )
  const reference = expected.map(({ FileName, FileType, ImageWidth, ImageHeight }) => ({
    name: FileName,
    format: kinds[FileType],
    width: ImageWidth,
    height: ImageHeight,
  }))
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
  expect(found.toSorted(byName)).toEqual(reference.toSorted(byName))
  expect(new Set(found.map(({ name }) => extname(name))).size).toBeGreaterThan(5)
})

test('the photos in packages are complete JPEGs', async () => {
  for (const path of packagedPhotos()) {
    expect(scan(new JpegScanner(), await readFile(path))).toMatchObject({ size: { width: 1024 }, isComplete: true })
  }
})
