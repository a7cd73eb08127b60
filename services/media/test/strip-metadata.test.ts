import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Format } from '@skyfolio/proto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { renderImage } from '../src/renditions/render-image.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { stripMetadata } from '../src/renditions/strip-metadata.ts'
import { directory, endlessExif } from './fixtures/endless-exif.ts'
import { quadrantPixels, quadrants } from './fixtures/quadrants.ts'
import { page, tiff } from './fixtures/tiff.ts'
import { startTestMedia, type TestMedia } from './support.ts'

const optionsFor = (format: Format) => ({ format, maxPixels: 300_000_000 })
const EXIF = Buffer.from('Exif\0\0')

/** The JPEG with segments inserted at its start. */
function withSegments(jpeg: Buffer, segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

function segment(code: number, data: Buffer | string): Buffer {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, Buffer.from(data as Buffer)])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** EXIF with an orientation only. */
const exifWithOrientation = (orientation: number) => directory([{ tag: 274, type: 3, value: orientation }])

describe('a JPEG', () => {
  test('keeps profile and colours, and loses all metadata', async () => {
    const jpeg = await quadrants()
      .withIccProfile('p3')
      .withExif({ IFD0: { Make: 'DJI' } })
      .jpeg({ progressive: true })
      .toBuffer()
    const odd = withSegments(jpeg, [
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<xmp/>'),
      Buffer.from('garbage\xff\xff\xff', 'latin1'),
      segment(0xe1, Buffer.concat([EXIF, endlessExif()])).subarray(1),
      segment(0xed, 'Photoshop 3.0\0'),
      segment(0xfe, 'a comment'),
      segment(0xe2, 'MPF\0'),
    ])
    const { bytes } = await stripMetadata(odd, optionsFor('jpg'))
    for (const text of ['Exif', 'xmp', 'Photoshop', 'comment', 'MPF', 'DJI']) expect(bytes.includes(text)).toBe(false)
    const metadata = await sharp(bytes).metadata()
    expect(metadata).toMatchObject({ width: 400, height: 300, icc: (await sharp(jpeg).metadata()).icc })
    expect([metadata.exif, metadata.xmp, metadata.iptc]).toEqual([undefined, undefined, undefined])
    const pixels = sharp(bytes, { failOn: 'error' }).raw().toBuffer()
    expect((await pixels).equals(await sharp(jpeg).raw().toBuffer())).toBe(true)
  })

  test('is not copied when it has no metadata', async () => {
    const jpeg = await quadrants().jpeg().toBuffer()
    expect((await stripMetadata(jpeg, optionsFor('jpg'))).bytes).toBe(jpeg)
  })

  test('passes its orientation on, unless another one is given', async () => {
    const jpeg = await quadrants().jpeg().toBuffer()
    for (const exif of [exifWithOrientation(6), exifWithOrientation(6).subarray(0, -4), await exifOfSharp(6)]) {
      const rotated = withSegments(jpeg, [segment(0xe1, Buffer.concat([EXIF, exif]))])
      expect((await stripMetadata(rotated, optionsFor('jpg'))).options.orientation).toBe(6)
      expect((await stripMetadata(rotated, { ...optionsFor('jpg'), orientation: 3 })).options.orientation).toBe(3)
    }
    for (const exif of [exifWithOrientation(0), exifWithOrientation(9), Buffer.from('no EXIF'), endlessExif()]) {
      const upright = withSegments(jpeg, [segment(0xe1, Buffer.concat([EXIF, exif]))])
      expect((await stripMetadata(upright, optionsFor('jpg'))).options.orientation).toBe(1)
    }
  })

  test('counts as damaged with more segments than any camera writes', async () => {
    const many = withSegments(await quadrants().jpeg().toBuffer(), Array(10_000).fill(segment(0xe1, 'Exif')))
    await expect(stripMetadata(many, optionsFor('jpg'))).rejects.toMatchObject({ name: 'DamagedImageError' })
  })

  test('stays the same image wherever it is cut off', async () => {
    const jpeg = withSegments(await quadrants().jpeg().toBuffer(), [segment(0xe1, 'Exif\0\0'), segment(0xe1, 'more')])
    for (let length = 0; length < 700; length += 1) {
      const { bytes } = await stripMetadata(jpeg.subarray(0, length), optionsFor('jpg'))
      expect(bytes.length).toBeLessThanOrEqual(length)
      expect(bytes.subarray(0, 2)).toEqual(jpeg.subarray(0, Math.min(2, length)))
    }
  })
})

async function exifOfSharp(orientation: number): Promise<Buffer> {
  const bytes = await quadrants().withMetadata({ orientation }).jpeg().toBuffer()
  return (await sharp(bytes).metadata()).exif?.subarray(EXIF.length) ?? Buffer.alloc(0)
}

test('a PNG loses its metadata, wherever it is, and passes its orientation on', async () => {
  const png = await quadrants().withIccProfile('p3').png().toBuffer()
  const header = 8 + 25
  const full = Buffer.concat([
    png.subarray(0, header),
    chunk('eXIf', exifWithOrientation(8)),
    chunk('iTXt', Buffer.from('XML:com.adobe.xmp\0\0\0\0\0<xmp/>')),
    png.subarray(header, -12),
    chunk('tEXt', Buffer.from('Comment\0a comment')),
    png.subarray(-12),
  ])
  const { bytes, options } = await stripMetadata(full, optionsFor('png'))
  expect(bytes.equals(png)).toBe(true)
  expect(options.orientation).toBe(8)
  expect(await renderImage(bytes, options)).toMatchObject({ width: 300, height: 400 })
  expect((await stripMetadata(png, optionsFor('png'))).bytes).toBe(png)
})

test('a TIFF keeps its main image with the tags that describe it', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [40_000 + index, [8]]))
  const small = page(quadrantPixels(400, 300), 400, 300)
  const many = tiff(Array.from({ length: 5 }, () => ({ ...small, ...unknown, 274: [6] })))
  expect((await sharp(many).metadata()).pages).toBe(5)
  const { bytes, options } = await stripMetadata(many, optionsFor('tif'))
  expect(await sharp(bytes).metadata()).toMatchObject({ pages: 1, width: 400, height: 300, orientation: 6 })
  expect((await sharp(bytes).raw().toBuffer()).equals(await sharp(many).raw().toBuffer())).toBe(true)
  expect(await renderImage(bytes, options)).toMatchObject({ width: 300, height: 400 })
})

test.each([
  ['BigTIFF', { bigtiff: true }],
  ['a TIFF of two bits', { bitdepth: 2, compression: 'lzw' }],
  ['a tiled TIFF with JPEG compression', { tile: true, compression: 'jpeg' }],
] as const)('%s keeps its pixels and profile', async (_name, options) => {
  const bytes = await quadrants()
    .withIccProfile('p3')
    .withExif({ IFD0: { Make: 'DJI' } })
    .tiff(options)
    .toBuffer()
  const stripped = (await stripMetadata(bytes, optionsFor('tif'))).bytes
  expect(stripped.includes('DJI') && stripped.equals(bytes)).toBe(false)
  expect((await sharp(stripped).metadata()).icc).toEqual((await sharp(bytes).metadata()).icc)
  expect((await sharp(stripped).raw().toBuffer()).equals(await sharp(bytes).raw().toBuffer())).toBe(true)
})

test('rendering that exceeds its time limit makes room for the next', async () => {
  const renderer = createRenderer(createRenderLimiter(1), 300_000_000, 1)
  const bytes = await quadrants(4000, 3000).jpeg().toBuffer()
  const stream = async () => Readable.from([bytes])
  const original = { format: 'jpg', bytes, source: bufferSource(bytes), stream } as const
  await expect(renderer.render(original, { userId: 1, alone: false })).rejects.toThrow('longer than 1 ms')
  expect(await renderer.render(original, { userId: 1, alone: true })).toMatchObject({ width: 4000, height: 3000 })
})

describe('a worker', () => {
  let media: TestMedia
  beforeAll(async () => {
    media = await startTestMedia()
    media.startWorker()
  })
  afterAll(() => media.close())

  test('processes photos whose EXIF points back to itself thousands of times', async () => {
    const jpeg = await quadrants().jpeg().toBuffer()
    const loops = Array(15).fill(segment(0xe1, Buffer.concat([EXIF, endlessExif()])))
    const { id } = await media.upload(1, {}, withSegments(jpeg, loops))
    expect(await media.processed(id)).toMatchObject({ status: 'ready', starts: 1, width: 400, height: 300 })
  })
})
