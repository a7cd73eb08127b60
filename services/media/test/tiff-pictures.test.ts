import { Readable } from 'node:stream'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { createRenderLimiter } from '../src/limits.ts'
import type { PrintTarget } from '../src/renditions/print-plan.ts'
import { renderImage } from '../src/renditions/render-image.ts'
import { renderPrint } from '../src/renditions/render-print.ts'
import { createRenderer } from '../src/renditions/renderer.ts'
import { stripMetadata } from '../src/renditions/strip-metadata.ts'
import { inspectTiff } from '../src/uploads/photo-inspector.ts'
import { ADOBE_RGB, rgbProfile } from './fixtures/profiles.ts'
import { type Colour, coloursOf, QUADRANTS, quadrantAt, quadrantPixels } from './fixtures/quadrants.ts'
import { type Bands, bandsPage, type Directory, type Encoding, page, tiff } from './fixtures/tiff.ts'

const [WIDTH, HEIGHT] = [320, 240]
const OPTIONS = { format: 'tif', maxPixels: 300_000_000 } as const
const WHOLE: PrintTarget = { kind: 'whole', maxSide: 2048 }

/** The preview and a print of a TIFF, as an isolated process makes them. */
async function render(original: Buffer, target = WHOLE) {
  const { bytes, options } = await stripMetadata(original, OPTIONS)
  return { ...(await renderImage(bytes, options)), print: await renderPrint(bytes, options, target) }
}

function expectClose(found: number[][], expected: readonly (readonly number[])[], tolerance = 8): void {
  expect(found.length).toBe(expected.length)
  for (const [index, colour] of found.entries())
    for (const [channel, value] of colour.entries())
      expect(Math.abs(value - (expected[index]?.[channel] ?? 999)), `${found} is not ${expected}`).toBeLessThanOrEqual(
        tolerance,
      )
}

describe('of a TIFF with several images the largest that is no mask is shown, printed and measured', () => {
  const large = page(quadrantPixels(WIDTH, HEIGHT), WIDTH, HEIGHT)
  const small = page(Buffer.alloc(80 * 60 * 3), 80, 60)
  const mask = page(Buffer.alloc(400 * 300 * 3), 400, 300)
  const spellings: [string, Directory[]][] = [
    [
      'a reduced version first',
      [
        { ...small, 254: [1] },
        { ...large, 254: [0] },
      ],
    ],
    [
      'a reduced version first, in the old way',
      [
        { ...small, 255: [2] },
        { ...large, 255: [1] },
      ],
    ],
    ['a small image first', [small, large]],
    ['a reduced version after it', [large, { ...small, 254: [1] }]],
    ['it below a reduced version', [{ ...small, 254: [1], 330: { parts: [large] } }]],
    ['it as the second below a small image', [{ ...small, 330: { parts: [{ ...small, 254: [1] }, large] } }]],
    ['a larger mask', [{ ...mask, 254: [4] }, large]],
    ['a larger mask by its colours', [large, { ...mask, 262: [4] }]],
    ['a reduced mask and a reduced version', [{ ...mask, 254: [5] }, { ...small, 254: [1] }, large]],
  ]
  const encodings: [string, Encoding][] = [
    ['little-endian', {}],
    ['big-endian', { littleEndian: false }],
    ['BigTIFF', { isBigTiff: true }],
    ['big-endian BigTIFF', { littleEndian: false, isBigTiff: true }],
  ]
  const cases = spellings.flatMap(([spelling, pages]) =>
    encodings.map(([name, encoding]) => [`${spelling}, ${name}`, pages, encoding] as const),
  )

  test.each(cases)('%s', async (_name, pages, encoding) => {
    const bytes = tiff(pages, encoding)
    const size = { width: WIDTH, height: HEIGHT }
    expect(await inspectTiff(bufferSource(bytes), 'file')).toEqual({ format: 'tif', dimensions: size })
    const { preview, print, ...rendered } = await render(bytes)
    expect(rendered).toMatchObject({ ...size, note: null })
    expect(print.source).toEqual(size)
    for (const picture of [preview, print.jpeg]) expectClose(await coloursOf(picture), QUADRANTS)
  })

  test('upright, also where only the first image says how', async () => {
    const { width, height, preview } = await render(tiff([{ ...small, 254: [1], 274: [8] }, large]))
    expect([width, height]).toEqual([HEIGHT, WIDTH])
    const [a, b, c, d] = QUADRANTS as [Colour, Colour, Colour, Colour]
    expectClose(await coloursOf(preview), [b, d, a, c])
  })
})

/** The quadrants in 8 bits with further samples. */
function withSamples(more: number[], tags: Directory = {}, bits: 8 | 16 = 8): Buffer {
  const value = (x: number, y: number, band: number) => {
    const of8 = quadrantAt(x, y, WIDTH, HEIGHT)[band] ?? more[band - 3] ?? 0
    return bits === 8 ? of8 : of8 * 257
  }
  const samples = 3 + more.length
  return tiff([
    bandsPage({ width: WIDTH, height: HEIGHT, samples, bits, format: 'unsigned', value, tags: { 262: [2], ...tags } }),
  ])
}

describe('an alpha channel', () => {
  test.each([
    [8, 1],
    [8, 2],
    [16, 2],
  ] as const)('of %i bits and kind %i that is empty everywhere is left out', async (bits, kind) => {
    const { preview, print, note } = await render(withSamples([0], { 338: [kind] }, bits))
    expect(note).toBeNull()
    for (const picture of [preview, print.jpeg]) expectClose(await coloursOf(picture), QUADRANTS)
    expect(await sharp(preview).metadata()).toMatchObject({ channels: 3 })
  })

  test('that is said to be among the colours is none', async () => {
    const { preview } = await render(tiff([{ ...page(quadrantPixels(WIDTH, HEIGHT), WIDTH, HEIGHT), 338: [2] }]))
    expectClose(await coloursOf(preview), QUADRANTS)
  })

  test.each([8, 16] as const)(
    'of %i bits that is a saved selection leaves the colours those of the profile',
    async (bits) => {
      const profile = { 34675: { bytes: rgbProfile(ADOBE_RGB) } }
      const [saved, plain] = [
        await render(withSamples([77], { 338: [0], ...profile }, bits)),
        await render(withSamples([], profile, bits)),
      ]
      for (const [one, other] of [
        [saved.preview, plain.preview],
        [saved.print.jpeg, plain.print.jpeg],
      ] as const)
        expectClose(await coloursOf(one), await coloursOf(other))
      expect(saved.note).toBeNull()
    },
  )

  test('that is half transparent is kept', async () => {
    const { preview } = await render(withSamples([128], { 338: [2] }))
    expectClose(
      await coloursOf(preview),
      QUADRANTS.map((colour) => [...colour, 128]),
    )
  })
})

const ONLY_THREE = /^This TIFF has \d bands, of which only the first three are shown\.$/
const ONLY_FIRST = 'This TIFF has 2 bands, of which only the first is shown.'

describe('bands that are neither colours nor alpha are left out, and a sentence says so', () => {
  test.each([
    ['a fourth without a kind', withSamples([7])],
    ['a fourth of unspecified kind', withSamples([7], { 338: [0] })],
    ['a fourth of 16 bits', withSamples([7], { 338: [0] }, 16)],
    ['five', withSamples([7, 8], { 338: [0, 0] })],
    ['nine', withSamples([1, 2, 3, 4, 5, 6], { 338: [0, 0, 0, 0, 0, 0] })],
    ['four that are called grey', withSamples([7], { 262: [1], 338: [0, 0, 0] })],
    ['three that are called grey', withSamples([], { 262: [1], 338: [0, 0] })],
  ])('%s', async (name, bytes) => {
    const { preview, print, note } = await render(bytes)
    if (name.startsWith('three')) expect(note).toBeNull()
    else expect(note).toMatch(ONLY_THREE)
    for (const picture of [preview, print.jpeg]) expectClose(await coloursOf(picture), QUADRANTS)
    expect(await sharp(preview).metadata()).toMatchObject({ channels: 3 })
  })

  test('the second of two', async () => {
    const value = (x: number, _y: number, band: number) => (band === 0 ? (x < WIDTH / 2 ? 40 : 200) : 9)
    const bands: Bands = {
      width: WIDTH,
      height: HEIGHT,
      samples: 2,
      bits: 8,
      format: 'unsigned',
      value,
      tags: { 338: [0] },
    }
    const { preview, note } = await render(tiff([bandsPage(bands)]))
    expect(note).toBe(ONLY_FIRST)
    expectClose(
      await coloursOf(preview),
      [40, 200, 40, 200].map((grey) => [grey, grey, grey]),
    )
  })

  test('of five, the last is alpha and is kept', async () => {
    const { preview, note } = await render(withSamples([7, 128], { 338: [0, 2] }))
    expect(note).toBe('This TIFF has 4 bands, of which only the first three are shown.')
    expectClose(
      await coloursOf(preview),
      QUADRANTS.map((colour) => [...colour, 128]),
    )
  })
})

/** A ramp from left to right: the left tenth has no value. */
function ramp(low: number, high: number, missing: number, bands: Partial<Bands>, encoding: Encoding = {}): Buffer {
  const value = (x: number) => (x < WIDTH / 10 ? missing : low + ((high - low) * (x - WIDTH / 10)) / (WIDTH * 0.9))
  const all = { width: WIDTH, height: HEIGHT, samples: 1, bits: 16, format: 'unsigned', value, ...bands } as const
  return tiff([bandsPage(all, encoding.littleEndian)], encoding)
}

const FLOAT = { bits: 32, format: 'float' } as const
const DOUBLE = { bits: 64, format: 'float' } as const
const SIGNED = { format: 'signed' } as const
const BIG = { littleEndian: false, isBigTiff: true }

describe('values that are no brightness are stretched to what can be seen, and a sentence says so', () => {
  test.each([
    ['temperatures', ramp(18, 35, -9999, FLOAT)],
    ['temperatures in two planes of a big-endian file', ramp(18, 35, -9999, FLOAT, BIG)],
    ['an index without numbers', ramp(0.2, 0.8, Number.NaN, FLOAT)],
    ['an index with infinity', ramp(0.2, 0.8, Number.POSITIVE_INFINITY, FLOAT)],
    ['heights with the lowest number', ramp(180, 260, -3.4028234663852886e38, FLOAT)],
    ['an index with a declared 0', ramp(0.5, 1, 0, { ...FLOAT, tags: { 42113: '0' } })],
    ['doubles', ramp(180, 260, -9999, DOUBLE)],
    ['big-endian doubles', ramp(180, 260, -9999, DOUBLE, BIG)],
    ['doubles in five bands', ramp(180, 260, -9999, { ...DOUBLE, samples: 5 })],
    ['heights below 0', ramp(-60, -20, -32_768, SIGNED)],
    ['heights of 32 bits', ramp(180_000, 260_000, -2_147_483_648, { ...SIGNED, bits: 32 })],
    ['counts of 32 bits', ramp(1_000_000, 3_000_000, 0, { bits: 32 })],
    ['signed bytes', ramp(-50, 70, -128, { ...SIGNED, bits: 8 })],
    ['reflectance', ramp(400, 1500, 0, {})],
    ['reflectance with 65535', ramp(400, 1500, 65_535, {})],
    ['reflectance in six bands', ramp(400, 1500, 0, { samples: 6 })],
    [
      'reflectance in six bands, of which the last is alpha',
      ramp(400, 1500, 0, { samples: 6, tags: { 338: [0, 0, 0, 0, 2] } }),
    ],
    ['reflectance in colour', ramp(400, 1500, 400, { samples: 3, tags: { 262: [2] } })],
    ['centikelvin', ramp(29_165, 29_331, 0, {})],
    ['12 bits of 16', ramp(0, 4095, 0, {})],
  ])('%s', async (_name, bytes) => {
    const { preview, print, note, ...size } = await render(bytes)
    expect(size).toMatchObject({ width: WIDTH, height: HEIGHT })
    expect(note).toContain('The values of this TIFF are stretched so that they can be seen')
    for (const picture of [preview, print.jpeg]) {
      const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true })
      expect(info.channels).toBe(1)
      const at = (x: number) => data[120 * WIDTH + x] ?? Number.NaN
      expect(at(10)).toBeLessThan(10)
      expect(at(45)).toBeLessThan(25)
      expect(Math.abs(at(176) - 128)).toBeLessThan(8)
      expect(at(310)).toBeGreaterThan(235)
    }
  })

  test('values of white and black are the other way round where 0 is white', async () => {
    const { preview } = await render(ramp(18, 35, -9999, { ...FLOAT, tags: { 262: [0] } }))
    const data = await sharp(preview).greyscale().raw().toBuffer()
    expect([data[120 * WIDTH + 45] ?? 0, data[120 * WIDTH + 310] ?? 255].map((value) => value > 128)).toEqual([
      true,
      false,
    ])
  })

  test('pixels that are transparent do not count', async () => {
    const value = (x: number, _y: number, band: number) =>
      band === 4 ? (x < 160 ? 0 : 65_535) : x < 160 ? 60_000 : 400 + x
    const bands: Bands = {
      width: WIDTH,
      height: HEIGHT,
      samples: 5,
      bits: 16,
      format: 'unsigned',
      value,
      tags: { 262: [2], 338: [0, 2] },
    }
    const { preview, note } = await render(tiff([bandsPage(bands)]))
    expect(note).toContain('stretched')
    const [left, right] = await coloursOf(preview)
    expect(left?.[3]).toBe(0)
    expectClose([right ?? []], [[128, 128, 128, 255]])
  })

  test('one value everywhere is grey', async () => {
    expectClose(await coloursOf((await render(ramp(21, 21, 21, FLOAT))).preview), Array(4).fill([128, 128, 128]))
  })

  test('a part of a picture is printed as the picture looks', async () => {
    const crop = { x: 0.7, y: 0, width: 0.3, height: 1 }
    const { print } = await render(ramp(18, 35, -9999, FLOAT), { kind: 'print', crop, shortSide: 60, longSide: 90 })
    expect((await sharp(print.jpeg).stats()).channels[0]?.min).toBeGreaterThan(150)
  })
})

test('an isolated process says what is shown, and what cannot be', async () => {
  const renderer = createRenderer(createRenderLimiter(1), OPTIONS.maxPixels)
  const rendered = (bytes: Buffer) =>
    renderer.render(
      { format: 'tif', bytes, source: bufferSource(bytes), stream: async () => Readable.from([bytes]) },
      { userId: 1, alone: false },
    )
  const bytes = ramp(18, 35, -9999, FLOAT)
  const { print, ...expected } = await render(bytes)
  expect(await rendered(bytes)).toEqual(expected)
  await expect(rendered(ramp(18, 35, -9999, { ...FLOAT, tags: { 339: [6] } }))).rejects.toMatchObject({
    ...{ name: 'UnsupportedImageError', message: expect.stringContaining('complex') },
  })
})

describe('photographs are never stretched', () => {
  const photo = (dark: number) => (x: number, y: number, band: number) =>
    Math.round((quadrantAt(x, y, WIDTH, HEIGHT)[band] ?? 0) * 257 * dark)
  const bands = (bits: 8 | 16, dark: number, tags: Directory = {}): Bands => ({
    ...{ width: WIDTH, height: HEIGHT, samples: 3, bits, format: 'unsigned' },
    value: bits === 8 ? (x, y, band) => photo(dark)(x, y, band) / 257 : photo(dark),
    tags: { 262: [2], ...tags },
  })

  test.each([
    ['of 16 bits', bands(16, 1), 1],
    ['of 16 bits, dark', bands(16, 0.25), 0.25],
    ['of 8 bits, as good as black', bands(8, 0.05), 0.05],
  ] as const)('%s', async (_name, image, dark) => {
    const { preview, print, note } = await render(tiff([bandsPage(image)]))
    expect(note).toBeNull()
    for (const picture of [preview, print.jpeg])
      expectClose(
        await coloursOf(picture),
        QUADRANTS.map((colour) => colour.map((value) => value * dark)),
      )
  })

  test('of 16 bits with a profile, as good as black', async () => {
    const image = bands(16, 0.05, { 34675: { bytes: rgbProfile(ADOBE_RGB) } })
    const { preview, note } = await render(tiff([bandsPage(image)]))
    expect(note).toBeNull()
    for (const colour of await coloursOf(preview)) expect(Math.max(...colour)).toBeLessThan(20)
  })
})

describe('a TIFF that cannot be shown fails with a sentence, and is not called damaged', () => {
  const grey = (tags: Directory, bits: Bands['bits'] = 16, format: Bands['format'] = 'unsigned', samples = 1) =>
    tiff([bandsPage({ width: 40, height: 30, samples, bits, format, value: () => 1, tags })])

  test.each([
    [
      'whole numbers of 64 bits',
      tiff([
        { ...bandsPage({ width: 40, height: 30, samples: 1, bits: 64, format: 'float', value: () => 1 }), 339: [1] },
      ]),
      'whole numbers of 64 bits',
    ],
    ['differences of doubles', grey({ 317: [3] }, 64, 'float'), 'floating-point numbers of 64 bits'],
    ['half precision', grey({ 339: [3] }), 'floating-point numbers of 16 bits'],
    ['12 bits', grey({ 258: [12] }), 'whole numbers of 12 bits'],
    ['complex numbers', grey({ 339: [6] }, 32), 'complex numbers'],
    ['Zstandard', grey({ 259: [50000] }), 'its compression (50000)'],
    ['bands of different bits', grey({ 258: [8, 16] }, 8, 'unsigned', 2), 'different numbers of bits'],
    ['seven inks', grey({ 262: [5] }, 8, 'unsigned', 7), 'it has 7 bands'],
    ['bands of four bits', grey({ 258: [4, 4], 338: [0] }, 8, 'unsigned', 2), 'only 4 bits'],
    [
      '200 bands of 100 megapixels',
      grey({ 256: [10_000], 257: [10_000] }, 8, 'unsigned', 200),
      'its 200 bands of 8 bits are too large',
    ],
    [
      'doubles of 300 megapixels',
      grey({ 256: [20_000], 257: [15_000] }, 64, 'float'),
      'its values of 64 bits are too large',
    ],
  ])('%s', async (_name, bytes, reason) => {
    const message = expect.stringMatching(
      new RegExp(`^This TIFF cannot be shown: .*${reason.replace(/[()]/g, '\\$&')}.* The original file is kept\\.$`),
    )
    await expect(render(bytes)).rejects.toMatchObject({ name: 'UnsupportedImageError', message })
  })

  test('damage is still called damage', async () => {
    const bytes = await sharp(quadrantPixels(WIDTH, HEIGHT), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
      .toColourspace('rgb16')
      .tiff({ compression: 'lzw' })
      .toBuffer()
    bytes.fill(0xff, 200, 2000)
    await expect(render(bytes)).rejects.toMatchObject({ name: 'DamagedImageError' })
  })
})
