import { crc32 } from 'node:zlib'
import type { Format } from '@skyfolio/proto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { renderImage } from '../src/renditions/render-image.ts'
import { renderPrint } from '../src/renditions/render-print.ts'
import { stripMetadata } from '../src/renditions/strip-metadata.ts'
import { ADOBE_RGB, inSrgb } from './fixtures/profiles.ts'
import { type Colour, coloursOf, QUADRANTS, quadrantPixels, quadrants } from './fixtures/quadrants.ts'
import { type Directory, page, tiff } from './fixtures/tiff.ts'

const ADOBE_COLOURS = QUADRANTS.map((colour) => inSrgb(colour, ADOBE_RGB))
const SRGB = 1
const UNCALIBRATED = 0xffff
const JPEG = { quality: 100, chromaSubsampling: '4:4:4' }

/** The tags of EXIF that name the colours. */
function exifTags(interop: string | null, colorSpace: number | null): Directory {
  const exif: Directory = { 36867: '2024:05:06 07:08:09' }
  if (colorSpace !== null) exif[40961] = [colorSpace]
  if (interop !== null) exif[40965] = { parts: [{ 1: interop }] }
  return { 34665: { parts: [exif] } }
}

function withExif(jpeg: Buffer, exif: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from('Exif\0\0'), exif])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)])
}

const AFTER_IHDR = 33

function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([png.subarray(0, AFTER_IHDR), length, chunk, checksum, png.subarray(AFTER_IHDR)])
}

async function expectColours(original: Buffer, format: Format, expected: readonly Colour[]): Promise<void> {
  const { bytes, options } = await stripMetadata(original, { format, maxPixels: 1_000_000 })
  expect((await stripMetadata(bytes, options)).bytes.includes('Adobe RGB')).toBe(bytes.includes('Adobe RGB'))
  const { preview } = await renderImage(bytes, options)
  const { jpeg } = await renderPrint(bytes, options, { kind: 'whole', maxSide: 2048 })
  for (const picture of [preview, jpeg]) {
    expect((await sharp(picture).metadata()).icc).toBeUndefined()
    for (const [index, colour] of (await coloursOf(picture)).entries())
      for (const [channel, value] of colour.entries())
        expect(Math.abs(value - (expected[index]?.[channel] ?? 999)), `${colour} in ${index}`).toBeLessThanOrEqual(7)
  }
}

const cases: [string, string | null, number | null, readonly Colour[]][] = [
  ['R03 and no calibration', 'R03', UNCALIBRATED, ADOBE_COLOURS],
  ['R03 alone', 'R03', null, ADOBE_COLOURS],
  ['ColorSpace 2', null, 2, ADOBE_COLOURS],
  ['R98', 'R98', SRGB, QUADRANTS],
  ['R98 and ColorSpace 2', 'R98', 2, QUADRANTS],
  ['no calibration', null, UNCALIBRATED, QUADRANTS],
  ['no word', null, null, QUADRANTS],
]

test.each(cases)(
  'an image with %s in its EXIF is shown and printed so',
  async (_name, interop, colorSpace, expected) => {
    const tags = exifTags(interop, colorSpace)
    const jpeg = await quadrants().jpeg(JPEG).toBuffer()
    for (const littleEndian of [true, false])
      await expectColours(withExif(jpeg, tiff([tags], { littleEndian })), 'jpg', expected)
    await expectColours(withChunk(await quadrants().png().toBuffer(), 'eXIf', tiff([tags])), 'png', expected)
    const of16 = await quadrants().toColourspace('rgb16').png().toBuffer()
    await expectColours(withChunk(of16, 'eXIf', tiff([tags])), 'png', expected)
    const image = page(quadrantPixels(400, 300), 400, 300)
    await expectColours(tiff([{ ...image, ...tags }]), 'tif', expected)
    await expectColours(tiff([{ ...image, ...tags }], { littleEndian: false, isBigTiff: true }), 'tif', expected)
    const thumbnail = { ...page(Buffer.alloc(80 * 60 * 3), 80, 60), 254: [1], ...tags }
    await expectColours(tiff([thumbnail, image]), 'tif', expected)
  },
)

test('a profile, and an sRGB chunk, count more than EXIF', async () => {
  const exif = tiff([exifTags('R03', UNCALIBRATED)])
  await expectColours(withExif(await quadrants().withIccProfile('p3').jpeg(JPEG).toBuffer(), exif), 'jpg', QUADRANTS)
  const png = await quadrants().withIccProfile('p3').png().toBuffer()
  await expectColours(withChunk(png, 'eXIf', exif), 'png', QUADRANTS)
  const srgb = withChunk(await quadrants().png().toBuffer(), 'sRGB', Buffer.from([0]))
  await expectColours(withChunk(srgb, 'eXIf', exif), 'png', QUADRANTS)
})

test('grey and CMYK, which have no such colours, stay as they are', async () => {
  const exif = tiff([exifTags('R03', UNCALIBRATED)])
  const grey = await quadrants().greyscale().jpeg(JPEG).toBuffer()
  const before = await coloursOf(grey)
  await expectColours(
    withExif(grey, exif),
    'jpg',
    before.map(([value = 0]): Colour => [value, value, value]),
  )
  const greyPng = await quadrants().toColourspace('b-w').png().toBuffer()
  await expectColours(
    withChunk(greyPng, 'eXIf', exif),
    'png',
    before.map(([value = 0]): Colour => [value, value, value]),
  )
  const cmyk = await quadrants().toColourspace('cmyk').jpeg(JPEG).toBuffer()
  const options = { format: 'jpg', maxPixels: 1_000_000 } as const
  expect((await stripMetadata(withExif(cmyk, exif), options)).bytes.includes('Adobe RGB')).toBe(false)
})

test('EXIF that leads nowhere says nothing', async () => {
  const jpeg = await quadrants().jpeg(JPEG).toBuffer()
  const exif = tiff([exifTags('R03', UNCALIBRATED)])
  for (let length = 8; length < exif.length; length += 3)
    await stripMetadata(withExif(jpeg, exif.subarray(0, length)), { format: 'jpg', maxPixels: 1_000_000 })
  await expectColours(withExif(jpeg, tiff([{ 34665: [4_000_000_000] }])), 'jpg', QUADRANTS)
  await expectColours(withExif(jpeg, tiff([{ 34665: [8] }])), 'jpg', QUADRANTS)
})
