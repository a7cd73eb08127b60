import { Readable } from 'node:stream'
import type { Format } from '@skyfolio/proto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { type Crop, NotPrintableError, type PrintTarget } from '../src/renditions/print-plan.ts'
import { DamagedImageError } from '../src/renditions/render-image.ts'
import { createPrintRenderer } from '../src/renditions/renderer.ts'
import { bitmaps } from './fixtures/bmp.ts'
import { ADOBE_RGB, inSrgb, rgbProfile, withProfile } from './fixtures/profiles.ts'
import { type Colour, coloursOf, QUADRANTS, quadrantPixels, quadrants } from './fixtures/quadrants.ts'
import { dng, page, tiff } from './fixtures/tiff.ts'

const renderer = createPrintRenderer(createRenderLimiter(2, 2), 300_000_000)

const WHOLE: PrintTarget = { kind: 'whole', maxSide: 2048 }
const JPEG = { quality: 100, chromaSubsampling: '4:4:4' }

function render(bytes: Buffer, format: Format, target: PrintTarget, inMemory = format !== 'dng', alone = false) {
  const stream = async () => Readable.from([bytes])
  const original = { format, bytes: inMemory ? bytes : null, source: bufferSource(bytes), stream }
  return renderer.render(original, target, { userId: 1, alone })
}

function print(crop: Crop | null, shortSide = 100, longSide = 150): PrintTarget {
  return { kind: 'print', crop, shortSide, longSide }
}

function expectClose(found: number[][], expected: readonly (readonly number[])[], tolerance = 8): void {
  for (const [index, colour] of found.entries())
    for (const [channel, value] of colour.entries())
      expect(Math.abs(value - (expected[index]?.[channel] ?? 999)), `${found} is not ${expected}`).toBeLessThanOrEqual(
        tolerance,
      )
}

async function expectPrint(jpeg: Buffer, size: { width: number; height: number }, colours: readonly Colour[]) {
  const about = await sharp(jpeg).metadata()
  expect(about).toMatchObject({ format: 'jpeg', space: 'srgb', channels: 3, chromaSubsampling: '4:4:4', ...size })
  expect([about.exif, about.xmp, about.icc, about.iptc, about.orientation]).toEqual(Array(5).fill(undefined))
  expectClose(await coloursOf(jpeg), colours)
}

const [topLeft, topRight, bottomLeft, bottomRight] = QUADRANTS as [Colour, Colour, Colour, Colour]
const TIFF_PAGES = () => tiff([page(quadrantPixels(600, 400), 600, 400), page(Buffer.alloc(300 * 300 * 3), 300, 300)])

const images: [string, Format, () => Promise<Buffer>][] = [
  ['a JPEG', 'jpg', () => quadrants(600, 400).jpeg(JPEG).toBuffer()],
  [
    'a progressive JPEG',
    'jpg',
    () =>
      quadrants(600, 400)
        .jpeg({ ...JPEG, progressive: true })
        .toBuffer(),
  ],
  ['a PNG', 'png', () => quadrants(600, 400).png().toBuffer()],
  [
    'an interlaced PNG of 16 bits',
    'png',
    () => quadrants(600, 400).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
  ],
  ['a TIFF', 'tif', () => quadrants(600, 400).tiff({ compression: 'lzw' }).toBuffer()],
  ['a TIFF of several pages', 'tif', async () => TIFF_PAGES()],
  ['a GIF', 'gif', () => quadrants(600, 400).gif({ dither: 0 }).toBuffer()],
]

test.each(images)('%s is printed whole, and by the part that was chosen', async (_name, format, make) => {
  const bytes = await make()
  const whole = await render(bytes, format, print(null))
  expect(whole).toMatchObject({ width: 150, height: 100, source: { width: 600, height: 400 } })
  await expectPrint(whole.jpeg, { width: 150, height: 100 }, QUADRANTS)
  // An upright part on the right, of which the upper half is shown.
  const part = await render(bytes, format, print({ x: 0.6, y: 0, width: 2 / 9, height: 0.5 }))
  expect(part).toMatchObject({ width: 100, height: 150, source: { width: 600, height: 400 } })
  await expectPrint(part.jpeg, { width: 100, height: 150 }, Array(4).fill(topRight))
  const proof = await render(bytes, format, WHOLE)
  expect(proof).toMatchObject({ width: 600, height: 400, source: { width: 600, height: 400 } })
  await expectPrint(proof.jpeg, { width: 600, height: 400 }, QUADRANTS)
})

test.each(Object.entries(bitmaps()).slice(0, 3))('a BMP of %s is printed', async (_name, bytes) => {
  const { jpeg, source } = await render(bytes, 'bmp', print({ x: 0, y: 0.5, width: 0.5, height: 0.5 }))
  expect(source).toEqual({ width: 401, height: 301 })
  expectClose(await coloursOf(jpeg), Array(4).fill(bottomLeft), 12)
})

test('prints the first frame of an animated GIF', async () => {
  const frames = [quadrantPixels(600, 400), Buffer.alloc(600 * 400 * 3), Buffer.alloc(600 * 400 * 3, 255)]
  const bytes = await sharp(Buffer.concat(frames), { raw: { width: 600, height: 1200, channels: 3, pageHeight: 400 } })
    .gif({ dither: 0, delay: [100, 100, 100] })
    .toBuffer()
  const { jpeg, source } = await render(bytes, 'gif', print(null))
  expect(source).toEqual({ width: 600, height: 400 })
  await expectPrint(jpeg, { width: 150, height: 100 }, QUADRANTS)
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i is applied before the part is chosen', async (orientation) => {
  // Stored so that this orientation makes it upright: the inverse of 6 is 8.
  const inverse = { 6: 8, 8: 6 }[orientation] ?? orientation
  const png = await quadrants(600, 400).png().toBuffer()
  const tagged = await sharp(png).withMetadata({ orientation: inverse }).png().toBuffer()
  const stored = await sharp(tagged).autoOrient().png().toBuffer()
  const makers: [Format, Buffer][] = [
    ['jpg', await sharp(stored).withMetadata({ orientation }).jpeg(JPEG).toBuffer()],
    ['tif', await sharp(stored).withMetadata({ orientation }).tiff({ compression: 'lzw' }).toBuffer()],
  ]
  for (const [format, bytes] of makers) {
    const whole = await render(bytes, format, print(null))
    expect(whole.source, format).toEqual({ width: 600, height: 400 })
    await expectPrint(whole.jpeg, { width: 150, height: 100 }, QUADRANTS)
    const part = await render(bytes, format, print({ x: 0.5, y: 0, width: 1 / 3, height: 0.5 }, 100, 100))
    await expectPrint(part.jpeg, { width: 100, height: 100 }, Array(4).fill(topRight))
  }
})

test('converts the colours of a profile to sRGB, and leaves the profile out', async () => {
  const expected = QUADRANTS.map((colour) => inSrgb(colour, ADOBE_RGB))
  const bytes = withProfile(await quadrants(600, 400).png().toBuffer(), rgbProfile(ADOBE_RGB))
  const { jpeg } = await render(bytes, 'png', print(null))
  await expectPrint(jpeg, { width: 150, height: 100 }, expected as unknown as Colour[])
})

test('prints grey and CMYK in colour, and transparency on white', async () => {
  const grey = await quadrants(600, 400).greyscale().jpeg(JPEG).toBuffer()
  const cmyk = await quadrants(600, 400).withIccProfile('cmyk').toColourspace('cmyk').jpeg(JPEG).toBuffer()
  for (const bytes of [grey, cmyk]) {
    const { jpeg } = await render(bytes, 'jpg', print(null))
    expect(await sharp(jpeg).metadata()).toMatchObject({ space: 'srgb', channels: 3 })
  }
  const clear = await quadrants(600, 400).ensureAlpha(0).png().toBuffer()
  const { jpeg } = await render(clear, 'png', WHOLE)
  expectClose(await coloursOf(jpeg), Array(4).fill([255, 255, 255]))
})

test('leaves no metadata of the camera in the file', async () => {
  const bytes = await quadrants(600, 400)
    .withExif({ IFD0: { Make: 'DJI' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '46/1 50/1 33/1' } })
    .jpeg(JPEG)
    .toBuffer()
  expect(bytes.includes('DJI')).toBe(true)
  const { jpeg } = await render(bytes, 'jpg', WHOLE)
  for (const text of ['DJI', 'Exif', 'ICC_PROFILE', 'http']) expect(jpeg.includes(text)).toBe(false)
})

test('an original that is too large for memory, and a second attempt, give the same print', async () => {
  const bytes = await quadrants(600, 400).tiff({ compression: 'none' }).toBuffer()
  const first = await render(bytes, 'tif', print(null))
  expect((await render(bytes, 'tif', print(null), false)).jpeg.equals(first.jpeg)).toBe(true)
  expect((await render(bytes, 'tif', print(null), true, true)).jpeg.equals(first.jpeg)).toBe(true)
})

test('never enlarges a small photo', async () => {
  const bytes = await quadrants(600, 400).jpeg(JPEG).toBuffer()
  expect(await render(bytes, 'jpg', print(null, 1200, 1800))).toMatchObject({ width: 600, height: 400 })
  expect(await render(bytes, 'jpg', print(null, 1000, 1000))).toMatchObject({ width: 400, height: 400 })
})

test('says that an image is damaged, or that the part is too small', async () => {
  const bytes = await quadrants(600, 400).jpeg(JPEG).toBuffer()
  const damaged = Buffer.concat([bytes.subarray(0, bytes.length >> 1), Buffer.from([0xff, 0xd9])])
  await expect(render(damaged, 'jpg', print(null))).rejects.toBeInstanceOf(DamagedImageError)
  const tiny = print({ x: 0, y: 0, width: 0.01, height: 0.01 })
  await expect(render(bytes, 'jpg', tiny)).rejects.toBeInstanceOf(NotPrintableError)
})

async function shot(width: number, height: number, orientation = 1): Promise<Buffer> {
  const jpeg = await quadrants(width, height).jpeg(JPEG).toBuffer()
  return dng({ previews: [{ jpeg, width, height }], width: 900, height: 600, orientation })
}

test('a DNG is printed by its preview, which is upright as the DNG says', async () => {
  const bytes = await shot(600, 400, 6)
  const proof = await render(bytes, 'dng', WHOLE)
  expect(proof).toMatchObject({ width: 400, height: 600, source: { width: 400, height: 600 } })
  // Rotated to the right, the left half is on top.
  await expectPrint(proof.jpeg, { width: 400, height: 600 }, [bottomLeft, topLeft, bottomRight, topRight])
  const printed = await render(bytes, 'dng', print(null, 400, 600))
  await expectPrint(printed.jpeg, { width: 400, height: 600 }, [bottomLeft, topLeft, bottomRight, topRight])
})

test('a DNG is printed only in sizes for which its preview has the pixels', async () => {
  const bytes = await shot(600, 400)
  expect(await render(bytes, 'dng', print(null, 600, 900))).toMatchObject({ width: 600, height: 400 })
  await expect(render(bytes, 'dng', print(null, 602, 903))).rejects.toThrow('too few pixels')
  const half = { x: 0, y: 0, width: 0.5, height: 0.5 }
  await expect(render(bytes, 'dng', print(half, 600, 900))).rejects.toThrow('too few pixels')
  const without = dng({ previews: [], width: 900, height: 600 })
  await expect(render(without, 'dng', WHOLE)).rejects.toThrow('no preview')
})
