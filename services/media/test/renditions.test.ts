import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Format } from '@skyfolio/proto'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit'
import sharp from 'sharp'
import { thumbHashToRGBA } from 'thumbhash'
import { expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createRenderLimiter } from '../src/limits.ts'
import { RenderAbortedError, renderIsolated } from '../src/renditions/isolated-renderer.ts'
import { createRenderer, needsMuchMemory, type Renditions } from '../src/renditions/renderer.ts'
import { bitmaps, bitmapWithAlpha } from './fixtures/bmp.ts'
import { ADOBE_RGB, DISPLAY_P3, greyInSrgb, greyProfile, inSrgb, rgbProfile, withProfile } from './fixtures/profiles.ts'
import { coloursOf, QUADRANTS, quadrantPixels, quadrants } from './fixtures/quadrants.ts'
import { dng } from './fixtures/tiff.ts'

const renderer = createRenderer(createRenderLimiter(2), 300_000_000)

/** Renders bytes as a photo that is held in the worker's memory, or as one that is too large for that. */
function render(bytes: Buffer, format: Format, inMemory = format !== 'dng'): Promise<Renditions> {
  const stream = async () => Readable.from([bytes])
  const original = { format, bytes: inMemory ? bytes : null, source: bufferSource(bytes), stream }
  return renderer.render(original, { userId: 1, alone: false })
}

function expectClose(found: number[][], expected: readonly (readonly number[])[], tolerance: number): void {
  expect(found.length).toBe(expected.length)
  for (const [index, colour] of found.entries())
    for (const [channel, value] of colour.entries())
      expect(
        Math.abs(value - (expected[index]?.[channel] ?? Number.NaN)),
        `${found} is not ${expected}`,
      ).toBeLessThanOrEqual(tolerance)
}

async function expectQuadrants(
  { width, height, small, thumbnail, preview, thumbhash }: Renditions,
  tolerance = 6,
  expected: readonly (readonly number[])[] = QUADRANTS,
) {
  for (const [widest, rendition] of [
    [320, small],
    [640, thumbnail],
    [2048, preview],
  ] as const) {
    const bytes = rendition ?? Buffer.alloc(0)
    expectClose(
      (await coloursOf(bytes)).map((colour) => colour.slice(0, 3)),
      expected,
      tolerance,
    )
    const about = await sharp(bytes).metadata()
    expect(about).toMatchObject({
      format: 'webp',
      space: 'srgb',
      width: Math.min(width, widest),
    })
    expect([about.exif, about.xmp, about.icc, about.iptc, about.orientation]).toEqual(Array(5).fill(undefined))
  }
  const hash = thumbHashToRGBA(Buffer.from(thumbhash ?? '', 'base64'))
  expect(hash.w / hash.h).toBeCloseTo(width / height, 0)
}

const JPEG = { quality: 100, chromaSubsampling: '4:4:4' }
const images: [string, Format, () => Promise<Buffer>][] = [
  ['a JPEG', 'jpg', () => quadrants().jpeg(JPEG).toBuffer()],
  [
    'a progressive JPEG',
    'jpg',
    () =>
      quadrants()
        .jpeg({ ...JPEG, progressive: true })
        .toBuffer(),
  ],
  ['a PNG', 'png', () => quadrants().png().toBuffer()],
  ['an interlaced PNG', 'png', () => quadrants().png({ progressive: true }).toBuffer()],
  ['a PNG of 16 bits', 'png', () => quadrants().toColourspace('rgb16').png().toBuffer()],
  [
    'an interlaced PNG of 16 bits with alpha',
    'png',
    () => quadrants().ensureAlpha().toColourspace('rgb16').png({ progressive: true }).toBuffer(),
  ],
  ['a PNG with a palette', 'png', () => quadrants().png({ palette: true, colours: 8 }).toBuffer()],
  ['a TIFF', 'tif', () => quadrants().tiff({ compression: 'none' }).toBuffer()],
  ['a TIFF of 16 bits', 'tif', () => quadrants().toColourspace('rgb16').tiff({ compression: 'lzw' }).toBuffer()],
  [
    'a tiled TIFF',
    'tif',
    () => quadrants().tiff({ compression: 'deflate', tile: true, tileWidth: 64, tileHeight: 64 }).toBuffer(),
  ],
  ['a TIFF that holds a JPEG', 'tif', () => quadrants().tiff({ compression: 'jpeg', quality: 100 }).toBuffer()],
  ['a GIF', 'gif', () => quadrants().gif({ dither: 0 }).toBuffer()],
]

test.each(images)('%s keeps its colours', async (_name, format, make) => {
  const rendered = await render(await make(), format)
  expect(rendered).toMatchObject({ width: 400, height: 300 })
  await expectQuadrants(rendered)
})

test.each(Object.entries(bitmaps()))('a BMP of %s keeps its colours', async (_name, bytes) => {
  const rendered = await render(bytes, 'bmp')
  expect(rendered).toMatchObject({ width: 401, height: 301 })
  // 16 bits have five bits per colour.
  await expectQuadrants(rendered, 11)
  expect((await sharp(rendered.preview ?? bytes).stats()).isOpaque).toBe(true)
})

test('a BMP of which a single pixel is visible stays transparent', async () => {
  const { preview } = await render(bitmapWithAlpha(124, 0, 255), 'bmp')
  expect((await coloursOf(preview ?? Buffer.alloc(0))).map(([, , , alpha]) => alpha)).toEqual([0, 0, 0, 0])
})

test('renders the first frame of an animated GIF', async () => {
  const frames = [quadrantPixels(400, 300), Buffer.alloc(400 * 300 * 3), Buffer.alloc(400 * 300 * 3, 255)]
  const bytes = await sharp(Buffer.concat(frames), { raw: { width: 400, height: 900, channels: 3, pageHeight: 300 } })
    .gif({ dither: 0, delay: [100, 100, 100] })
    .toBuffer()
  expect((await sharp(bytes).metadata()).pages).toBe(3)
  const rendered = await render(bytes, 'gif')
  expect(rendered).toMatchObject({ width: 400, height: 300 })
  await expectQuadrants(rendered)
})

test('keeps transparency', async () => {
  const half = await quadrants().ensureAlpha(0.5).png().toBuffer()
  const { preview } = await render(half, 'png')
  expectClose(
    await coloursOf(preview ?? half),
    QUADRANTS.map((colour) => [...colour, 128]),
    8,
  )
})

test('renders an image that is too large to be held in memory from the store, in an isolated process', async () => {
  await expectQuadrants(await render(await quadrants().tiff({ compression: 'none' }).toBuffer(), 'tif', false))
})

/** The four colours within the gamut of the inks. */
const CMYK_QUADRANTS = [
  [197, 69, 38],
  [47, 146, 74],
  [61, 90, 143],
  [211, 204, 187],
]

test('converts CMYK and grey to sRGB', async () => {
  const cmyk = await quadrants().withIccProfile('cmyk').toColourspace('cmyk').jpeg(JPEG).toBuffer()
  expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
  await expectQuadrants(await render(cmyk, 'jpg'), 8, CMYK_QUADRANTS)
  const tif = await quadrants().withIccProfile('cmyk').toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer()
  expect((await sharp(tif).metadata()).space).toBe('cmyk')
  await expectQuadrants(await render(tif, 'tif'), 8, CMYK_QUADRANTS)
  const { preview } = await render(await quadrants().greyscale().jpeg(JPEG).toBuffer(), 'jpg')
  for (const [red = 0, green = 0, blue = 0] of await coloursOf(preview ?? tif)) {
    expect(Math.abs(red - green) + Math.abs(green - blue)).toBeLessThanOrEqual(2)
  }
})

const spaces = [
  ['Adobe RGB', ADOBE_RGB],
  ['Display P3', DISPLAY_P3],
] as const

test.each(spaces)('converts colours in %s to sRGB, with 8 bits and with 16', async (_name, space) => {
  const expected = QUADRANTS.map((colour) => inSrgb(colour, space))
  expect(expected).not.toEqual(QUADRANTS)
  const icc = rgbProfile(space)
  const eight = withProfile(await quadrants().png().toBuffer(), icc)
  const sixteen = withProfile(await quadrants().toColourspace('rgb16').png().toBuffer(), icc)
  const transparent = withProfile(await quadrants().ensureAlpha().toColourspace('rgb16').png().toBuffer(), icc)
  for (const bytes of [eight, sixteen, transparent]) {
    expect((await sharp(bytes).metadata()).icc).toEqual(icc)
    const { preview } = await render(bytes, 'png')
    expectClose(
      (await coloursOf(preview ?? bytes)).map((colour) => colour.slice(0, 3)),
      expected,
      7,
    )
  }
})

test('converts a JPEG in Display P3 to the colours that it shows', async () => {
  const bytes = await quadrants().withIccProfile('p3').jpeg(JPEG).toBuffer()
  const stored = await sharp(bytes).keepIccProfile().raw().toBuffer()
  expectClose([[...stored.subarray(0, 3)]], [[186, 88, 67]], 3)
  await expectQuadrants(await render(bytes, 'jpg'))
})

test.each([8, 16])('grey with %i bits is converted by its own curve', async (bits) => {
  const grey = { create: { width: 400, height: 300, channels: 3, background: { r: 100, g: 100, b: 100 } } } as const
  const plain = await sharp(grey)
    .toColourspace(bits === 8 ? 'b-w' : 'grey16')
    .png()
    .toBuffer()
  const bytes = withProfile(plain, greyProfile(1))
  expect(await sharp(bytes).metadata()).toMatchObject({ channels: 1, depth: bits === 8 ? 'uchar' : 'ushort' })
  const { preview } = await render(bytes, 'png')
  const expected = greyInSrgb(100, 1)
  expect(expected).toBeGreaterThan(160)
  expectClose(await coloursOf(preview ?? bytes), Array(4).fill([expected, expected, expected]), 4)
})

test('ignores a damaged profile', async () => {
  const bytes = withProfile(await quadrants().png().toBuffer(), Buffer.from('no profile at all, and too short for one'))
  await expectQuadrants(await render(bytes, 'png'))
})

const [A, B, C, D] = QUADRANTS
/** The four colours of the upright image by EXIF orientation. */
const UPRIGHT: Record<number, (readonly number[] | undefined)[]> = {
  1: [A, B, C, D],
  2: [B, A, D, C],
  3: [D, C, B, A],
  4: [C, D, A, B],
  5: [A, C, B, D],
  6: [C, A, D, B],
  7: [D, B, C, A],
  8: [B, D, A, C],
}

test.each(Object.keys(UPRIGHT).map(Number))(
  'renders orientation %i upright, in a JPEG and in a DNG',
  async (orientation) => {
    const jpeg = await quadrants().withMetadata({ orientation }).jpeg(JPEG).toBuffer()
    const size = orientation > 4 ? { width: 300, height: 400 } : { width: 400, height: 300 }
    const rendered = await render(jpeg, 'jpg')
    expect(rendered).toMatchObject(size)
    const raw = dng({
      previews: [{ jpeg: await quadrants().jpeg(JPEG).toBuffer(), width: 400, height: 300 }],
      width: 400,
      height: 300,
      orientation,
    })
    const shown = await render(raw, 'dng')
    expect(shown).toMatchObject(size)
    for (const { preview } of [rendered, shown]) {
      const bytes = preview ?? Buffer.alloc(0)
      expectClose(await coloursOf(bytes), UPRIGHT[orientation] as number[][], 6)
      expect(await sharp(bytes).metadata()).toMatchObject(size)
    }
  },
)

/** The widths and heights of the sizes that an image has. */
async function sizesOf(rendered: Pick<Renditions, 'small' | 'thumbnail' | 'medium' | 'preview'>) {
  const { small, thumbnail, medium, preview } = rendered
  const size = async (bytes: Buffer | null) => {
    if (!bytes) return null
    const { width, height } = await sharp(bytes).metadata()
    return `${width} x ${height}`
  }
  return Promise.all([small, thumbnail, medium, preview].map(size))
}

const shapes: [string, number, number, (string | null)[]][] = [
  ['a wide photo', 4000, 3000, ['320 x 240', '640 x 480', '1280 x 960', '2048 x 1536']],
  ['an upright photo', 3000, 4000, ['320 x 427', '640 x 853', '1280 x 1707', '1536 x 2048']],
  ['a photo that is 1,280 pixels wide', 1280, 960, ['320 x 240', '640 x 480', null, '1280 x 960']],
  ['a photo that is 1,281 pixels wide', 1281, 960, ['320 x 240', '640 x 480', '1280 x 959', '1281 x 960']],
  ['a small photo', 400, 300, ['320 x 240', '400 x 300', null, '400 x 300']],
  ['a photo that is 320 pixels wide', 320, 300, [null, '320 x 300', null, '320 x 300']],
  ['a panorama', 6000, 500, ['320 x 27', '640 x 53', '1280 x 107', '2048 x 171']],
  ['an upright panorama', 500, 6000, ['53 x 640', '107 x 1280', null, '171 x 2048']],
  ['a narrow upright photo', 2160, 3840, ['320 x 569', '640 x 1138', null, '1152 x 2048']],
]

test.each(shapes)('%s has the sizes that are smaller than itself', async (_name, width, height, expected) => {
  const bytes = await quadrants(width, height).jpeg().toBuffer()
  expect(await sizesOf(await render(bytes, 'jpg'))).toEqual(expected)
})

test('an isolated process renders the same sizes', async () => {
  const bytes = await quadrants(3000, 2000).jpeg().toBuffer()
  const request = { format: 'jpg', maxPixels: 10_000_000, size: bytes.length } as const
  const rendered = await renderIsolated(Readable.from([bytes]), request)
  expect(rendered).toEqual(await render(bytes, 'jpg'))
})

test('removes what the camera wrote about place and time from renditions', async () => {
  const original = await dronePhoto({ base: packagedPhotos()[1], latitude: 46.84, longitude: -91.99 })
  const { small, thumbnail, preview } = await render(original, 'jpg')
  for (const bytes of [small, thumbnail, preview]) {
    expect(bytes?.includes('DJI')).toBe(false)
    expect(['EXIF', 'XMP ', 'ICCP'].filter((chunk) => bytes?.includes(chunk))).toEqual([])
  }
})

const NO_SIZES = { small: null, thumbnail: null, medium: null, thumbhash: null }

test('renders the largest intact preview of a DNG in all sizes', async () => {
  const [small, large] = await Promise.all(
    [quadrants(400, 300), quadrants(2400, 1800)].map((one) => one.jpeg(JPEG).toBuffer()),
  )
  const previews = [
    { jpeg: small as Buffer, width: 400, height: 300 },
    { jpeg: large as Buffer, width: 2400, height: 1800 },
  ]
  const whole = await render(dng({ previews, width: 3000, height: 2000 }), 'dng')
  expect(whole).toMatchObject({ width: 3000, height: 2000, thumbhash: expect.any(String), note: null })
  const widths = [whole.small, whole.thumbnail, whole.medium].map(
    async (bytes) => (await sharp(bytes ?? '').metadata()).width,
  )
  expect(await Promise.all(widths)).toEqual([320, 640, 1280])
  expect(await sharp(whole.preview ?? '').metadata()).toMatchObject({ format: 'webp', width: 2048, height: 1536 })
  expectClose(await coloursOf(whole.preview ?? Buffer.alloc(0)), QUADRANTS, 6)

  const broken = Buffer.from(large as Buffer)
  broken.fill(0xff, broken.length >> 1)
  const saved = await render(
    dng({
      previews: [previews[0] as (typeof previews)[0], { jpeg: broken, width: 2400, height: 1800 }],
      width: 3000,
      height: 2000,
    }),
    'dng',
  )
  expect(await sharp(saved.preview ?? '').metadata()).toMatchObject({ width: 400, height: 300 })
})

test.each([
  [160, 120, 1, '160 × 120'],
  [256, 171, 6, '171 × 256'],
  [480, 360, 1, null],
] as const)(
  'of a DNG whose preview has %i × %i pixels, a thumbnail is said to be all, and is on no card',
  async (width, height, orientation, pixels) => {
    const jpeg = await quadrants(width, height).jpeg(JPEG).toBuffer()
    const { note, thumbnail } = await render(
      dng({ previews: [{ jpeg, width, height }], width: 1200, height: 900, orientation }),
      'dng',
    )
    const sentence = `This DNG has only a preview of ${pixels} pixels. It is shown in its own size, and downloads in web size contain it.`
    expect(note).toBe(pixels && sentence)
    expect(thumbnail === null).toBe(pixels !== null)
  },
)

test('a DNG without a preview has no renditions', async () => {
  const rendered = await render(dng({ previews: [], width: 3000, height: 2000, orientation: 6 }), 'dng')
  expect(rendered).toEqual({ width: 2000, height: 3000, ...NO_SIZES, preview: null, note: null })
})

const broken: [string, Format, () => Promise<Buffer>][] = [
  ['a JPEG', 'jpg', () => sharp(packagedPhotos()[0]).jpeg().toBuffer()],
  ['a PNG', 'png', () => sharp(packagedPhotos()[0]).png().toBuffer()],
  ['a TIFF', 'tif', () => sharp(packagedPhotos()[0]).tiff({ compression: 'lzw' }).toBuffer()],
  ['a BMP', 'bmp', async () => (bitmaps()['24 bits from the top'] as Buffer).subarray(0, 200_000)],
]

test.each(broken)('detects damage within %s', async (_name, format, make) => {
  const bytes = await make()
  if (format !== 'bmp') bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 5000)
  await expect(render(bytes, format)).rejects.toMatchObject({ name: 'DamagedImageError' })
})

test('does not decode a BMP that declares more pixels than may be decoded', async () => {
  const huge = Buffer.from(bitmaps()['run lengths of 8 bits'] as Buffer)
  huge.writeInt32LE(30_000, 18)
  huge.writeInt32LE(30_000, 22)
  await expect(render(huge, 'bmp')).rejects.toMatchObject({ name: 'DamagedImageError' })
})

test('kills an isolated process that takes too long', async () => {
  const endless = new Readable({ read() {} })
  const request = { format: 'jpg', maxPixels: 1_000_000, size: 1_000_000 } as const
  const rendering = renderIsolated(endless, request, 100)
  await expect(rendering).rejects.toBeInstanceOf(RenderAbortedError)
  await expect(rendering).rejects.toMatchObject({ tookTooLong: true })
  expect(endless.destroyed).toBe(true)
})

test('does not take an original that breaks off in transfer for a damaged one', async () => {
  const bytes = await quadrants().jpeg().toBuffer()
  const outage = new Error('the store is unavailable')
  async function* half() {
    yield bytes.subarray(0, 1000)
    throw outage
  }
  const request = { format: 'jpg', maxPixels: 1_000_000, size: bytes.length } as const
  await expect(renderIsolated(Readable.from(half()), request)).rejects.toBe(outage)
})

/** A small image whose header declares a larger size. */
async function imageDeclaring(
  width: number,
  height: number,
  format: 'png' | 'jpg',
  progressive: boolean,
): Promise<Buffer> {
  const bytes = await (format === 'png'
    ? quadrants().png({ progressive })
    : quadrants().jpeg({ progressive })
  ).toBuffer()
  if (format === 'png') {
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
    return bytes
  }
  const frame = bytes.indexOf(Buffer.from([0xff, progressive ? 0xc2 : 0xc0]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}

test('recognises an image that needs much memory by its header', async () => {
  for (const format of ['png', 'jpg'] as const) {
    expect(await needsMuchMemory(await imageDeclaring(11_000, 9000, format, true), format)).toBe(true)
    expect(await needsMuchMemory(await imageDeclaring(11_000, 9000, format, false), format)).toBe(false)
    expect(await needsMuchMemory(await imageDeclaring(4000, 3000, format, true), format)).toBe(false)
  }
})
