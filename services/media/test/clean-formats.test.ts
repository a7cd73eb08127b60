import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { dronePhoto, reportedFiles, samplePhotos } from '@skyfolio/testkit'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { cleanExif } from '../src/clean-files/clean-exif.ts'
import { cleanJpeg } from '../src/clean-files/clean-jpeg.ts'
import type { CleanParts } from '../src/clean-files/clean-parts.ts'
import { cleanPng, PNG_END } from '../src/clean-files/clean-png.ts'
import { combineCrc32 } from '../src/clean-files/crc32.ts'
import { bufferSource } from '../src/formats/byte-source.ts'
import { encodeSegment } from '../src/formats/jpeg-scanner.ts'
import { encodeChunk } from '../src/formats/png-scanner.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { stripMetadata } from '../src/renditions/strip-metadata.ts'
import { noise } from './fixtures/noise.ts'
import { quadrants } from './fixtures/quadrants.ts'

const reader = startMetadataReader()
afterAll(() => reader.stop())

const PLACE = { latitude: 46.84, longitude: -92.03, altitude: 213 }
const EXIF_PREFIX = Buffer.from('Exif\0\0')
const SECRET = 'Secret place'

type Format = 'jpg' | 'png'

async function* chunksOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

function read(bytes: Buffer, format: Format = 'jpg', chunkBytes = 65_536): Promise<CleanParts | null> {
  return (format === 'png' ? cleanPng : cleanJpeg)(chunksOf(bytes, chunkBytes))
}

/** The cleaned file with what the camera is, and the one without. */
async function clean(bytes: Buffer, format: Format = 'jpg'): Promise<{ full: Buffer; plain: Buffer }> {
  const parts = await read(bytes, format)
  if (!parts) throw new Error('the file cannot be cleaned')
  const range = bytes.subarray(parts.range.start, parts.range.end + 1)
  expect(parts.rangeCrc32).toBe(crc32(range))
  const foot = format === 'png' ? PNG_END : Buffer.alloc(0)
  return { full: Buffer.concat([parts.head, range, foot]), plain: Buffer.concat([parts.plainHead, range, foot]) }
}

async function tagsOf(bytes: Buffer, format: Format = 'jpg') {
  const tags = await extractTags(bufferSource(bytes), format)
  return reader.read(tags as Buffer, true)
}

const pixelsOf = (bytes: Buffer) => sharp(bytes, { failOn: 'none' }).autoOrient().raw().toBuffer()

/** A JPEG with its place in every part that may have one. */
async function jpegWithPlaces(): Promise<Buffer> {
  const photo = await dronePhoto({ ...PLACE, make: 'DJI', orientation: 6 })
  const second = await dronePhoto({ ...PLACE, base: await quadrants().jpeg().toBuffer() })
  const hidden = [
    [0xe0, 'JFXX\0'],
    [0xe1, 'http://ns.adobe.com/xmp/extension/\0'],
    [0xe2, 'MPF\0'],
    [0xe2, 'FPXR\0'],
    [0xe3, 'measured temperatures'],
    [0xed, 'Photoshop 3.0\x008BIM'],
    [0xef, 'maker'],
    [0xfe, 'a comment'],
  ] as const
  const segments = hidden.map(([code, name]) => encodeSegment(code, Buffer.from(name), Buffer.from(SECRET)))
  return Buffer.concat([photo.subarray(0, 2), ...segments, photo.subarray(2), second, Buffer.from(SECRET)])
}

describe('a cleaned JPEG', () => {
  test('has no place in any part, and the same pixels as its original', async () => {
    const original = await jpegWithPlaces()
    expect((await tagsOf(original)).facts.latitude).not.toBeNull()
    for (const cleaned of Object.values(await clean(original))) {
      for (const text of [SECRET, 'GPano', 'drone-dji', 'MPF', 'JFXX', 'Photoshop'])
        expect(cleaned.includes(text)).toBe(false)
      const { facts, groups } = await tagsOf(cleaned)
      expect(facts).toMatchObject({ latitude: null, longitude: null, altitude: null, dateTaken: '2024-05-06T07:08:09' })
      expect(Object.keys(groups)).toEqual(['ICC profile', 'IFD0', 'EXIF'])
      expect((await pixelsOf(cleaned)).equals(await pixelsOf(original))).toBe(true)
      expect(cleaned.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]))
    }
  })

  test('says what the camera is and how it was set only where that is shown', async () => {
    const { full, plain } = await clean(await jpegWithPlaces())
    const camera = { Make: 'DJI', Model: 'FC300S', ExposureTime: 1 / 400, FNumber: 2.8, ISO: 100, FocalLength: 3.61 }
    expect((await tagsOf(full)).facts.metadata).toMatchObject(camera)
    expect((await tagsOf(plain)).facts.metadata).toEqual({
      DateTimeOriginal: '2024-05-06T07:08:09',
      ExifImageWidth: 1024,
      ExifImageHeight: 717,
    })
  })

  test('keeps orientation, profile and resolution of a progressive JPEG', async () => {
    const original = await quadrants()
      .withIccProfile('p3')
      .withMetadata({ orientation: 8, density: 300 })
      .jpeg({ progressive: true })
      .toBuffer()
    const { icc } = await sharp(original).metadata()
    for (const cleaned of Object.values(await clean(original))) {
      expect(await sharp(cleaned).metadata()).toMatchObject({ orientation: 8, density: 300, isProgressive: true, icc })
      expect((await pixelsOf(cleaned)).equals(await pixelsOf(original))).toBe(true)
    }
  })

  test('has JFIF without the thumbnail, and no EXIF when the original has none', async () => {
    const jpeg = await quadrants().jpeg().toBuffer()
    const jfif = Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01')
    const thumbnail = Buffer.concat([Buffer.from([1, 1]), Buffer.from('RGB')])
    const withJfif = Buffer.concat([jpeg.subarray(0, 2), encodeSegment(0xe0, jfif, thumbnail), jpeg.subarray(2)])
    const { full, plain } = await clean(withJfif)
    expect(full.equals(plain)).toBe(true)
    expect(full.subarray(2, 20)).toEqual(encodeSegment(0xe0, jfif, Buffer.from([0, 0])))
    expect(full.includes('Exif') || full.includes('RGB')).toBe(false)
  })

  test('is not made of one that is cut off, or has metadata among its scans', async () => {
    const jpeg = await quadrants(64, 64).jpeg({ progressive: true }).toBuffer()
    expect(await read(jpeg)).not.toBeNull()
    const secondScan = jpeg.indexOf(Buffer.from([0xff, 0xda]), jpeg.indexOf(Buffer.from([0xff, 0xda])) + 2)
    for (const code of [0xe1, 0xfe, 0xc0, 0x02]) {
      const segment = encodeSegment(code, Buffer.from(SECRET))
      expect(await read(Buffer.concat([jpeg.subarray(0, secondScan), segment, jpeg.subarray(secondScan)]))).toBeNull()
    }
    for (let length = 0; length < jpeg.length; length += 1) expect(await read(jpeg.subarray(0, length))).toBeNull()
  })

  test('is not made of one with more before its image than any camera writes', async () => {
    const jpeg = await quadrants().jpeg().toBuffer()
    const large = Array(260).fill(encodeSegment(0xe3, Buffer.alloc(65_000)))
    expect(await read(Buffer.concat([jpeg.subarray(0, 2), ...large, jpeg.subarray(2)]))).toBeNull()
    const profile = Array(20).fill(encodeSegment(0xe2, Buffer.from('ICC_PROFILE\0'), Buffer.alloc(65_000)))
    expect(await read(Buffer.concat([jpeg.subarray(0, 2), ...profile, jpeg.subarray(2)]))).toBeNull()
  })
})

/** A PNG with chunks behind its header, and before its end. */
function pngWith(png: Buffer, first: Buffer[], last: Buffer[]): Buffer {
  const afterHeader = 33
  return Buffer.concat([
    png.subarray(0, afterHeader),
    ...first,
    png.subarray(afterHeader, -12),
    ...last,
    png.subarray(-12),
  ])
}

function chunkTypes(png: Buffer): string[] {
  const types: string[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) types.push(png.toString('latin1', at + 4, at + 8))
  return types
}

describe('a cleaned PNG', () => {
  test('has no place, before or behind its pixels, and the same pixels', async () => {
    const exif = (await sharp(await dronePhoto({ ...PLACE, orientation: 6 })).metadata()).exif as Buffer
    const png = await noise(100, 90).withIccProfile('p3').png().toBuffer()
    const text = (type: string) => encodeChunk(type, Buffer.from(`Comment\0${SECRET}`))
    const hidden = pngWith(
      png,
      [text('tEXt'), encodeChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${SECRET}`)), text('vpAg')],
      [encodeChunk('eXIf', exif.subarray(EXIF_PREFIX.length)), text('tEXt'), encodeChunk('tIME', Buffer.alloc(7))],
    )
    const original = Buffer.concat([hidden, Buffer.from(SECRET)])
    expect((await tagsOf(original, 'png')).facts.latitude).not.toBeNull()
    for (const cleaned of Object.values(await clean(original, 'png'))) {
      expect([...new Set(chunkTypes(cleaned))]).toEqual(['IHDR', 'iCCP', 'pHYs', 'eXIf', 'IDAT', 'IEND'])
      expect(cleaned.includes(SECRET)).toBe(false)
      const { facts, groups } = await tagsOf(cleaned, 'png')
      expect(facts).toMatchObject({ latitude: null, longitude: null, altitude: null })
      expect(groups.IFD0).toMatchObject({ Orientation: 'Rotate 90 CW' })
      const plainPixels = (bytes: Buffer) => sharp(bytes, { failOn: 'error' }).raw().toBuffer()
      expect((await plainPixels(cleaned)).equals(await plainPixels(png))).toBe(true)
    }
  })

  test('is not made of one that is cut off, or whose pixels are in two places', async () => {
    const png = await noise(20, 20).png().toBuffer()
    for (let length = 0; length < png.length - 4; length += 1)
      expect(await read(png.subarray(0, length), 'png')).toBeNull()
    const apart = Buffer.concat([encodeChunk('tEXt', Buffer.from('Comment\0')), encodeChunk('IDAT', Buffer.alloc(4))])
    expect(await read(pngWith(png, [], [apart]), 'png')).toBeNull()
    const profile = encodeChunk('iCCP', Buffer.alloc(1024 * 1024))
    expect(await read(pngWith(png, [profile], []), 'png')).toBeNull()
  })
})

test('a file is cleaned alike however its bytes arrive', async () => {
  const files: [Buffer, Format][] = [
    [await jpegWithPlaces(), 'jpg'],
    [await noise(100, 90).png().toBuffer(), 'png'],
  ]
  for (const [bytes, format] of files) {
    const whole = await read(bytes, format)
    expect(whole).not.toBeNull()
    for (const chunkBytes of [1, 7, 4096, bytes.length]) expect(await read(bytes, format, chunkBytes)).toEqual(whole)
  }
})

test('EXIF with any bytes gives a small EXIF without a position', async () => {
  const exif = (await sharp(await dronePhoto(PLACE)).metadata()).exif?.subarray(EXIF_PREFIX.length) as Buffer
  const canon = samplePhotos()?.exif.find((path) => basename(path) === 'Canon_40D.jpg')
  const given = canon ? [exif, (await sharp(canon).metadata()).exif?.subarray(EXIF_PREFIX.length) as Buffer] : [exif]
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...given), damage, fc.nat(), fc.boolean(), async (bytes, changes, cut, camera) => {
      const damaged = Buffer.from(bytes)
      // Directories and small values are at the beginning.
      for (const [at, value] of changes) damaged[at % Math.min(600, damaged.length)] = value
      const cleaned = await cleanExif(cut % 2 ? damaged : damaged.subarray(0, cut % damaged.length), { camera })
      expect(cleaned.length).toBeLessThan(10_000)
      const { facts, groups } = await tagsOf(
        Buffer.concat([
          Buffer.from([0xff, 0xd8]),
          encodeSegment(0xe1, EXIF_PREFIX, cleaned),
          Buffer.from([0xff, 0xd9]),
        ]),
      )
      expect(facts).toMatchObject({ latitude: null, longitude: null, altitude: null })
      expect(Object.keys(groups).filter((name) => !['IFD0', 'EXIF', 'Interop'].includes(name))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('checksums of two parts make that of the whole', () => {
  for (const [first, second] of [
    [0, 0],
    [5, 0],
    [0, 5],
    [1, 1],
    [1000, 70_001],
    [3, 1_048_576],
  ] as const) {
    const bytes = Buffer.from(Array.from({ length: first + second }, (_, index) => (index * 31) % 251))
    const [one, other] = [crc32(bytes.subarray(0, first)), crc32(bytes.subarray(first))]
    expect(combineCrc32(one, other, second)).toBe(crc32(bytes))
  }
})

const samples = samplePhotos()

test.skipIf(!samples)(
  'every sample file is cleaned of places and maker notes, and looks the same',
  { timeout: 120_000 },
  async () => {
    const { drone, exif } = samples ?? { drone: [], exif: [] }
    const flight = join(dirname(drone[0] ?? ''), 'flight')
    const reported = reportedFiles().map(({ path }) => path)
    const paths = [...drone, ...readdirSync(flight).map((name) => join(flight, name)), ...exif, ...reported]
    const formats: Record<string, Format> = { '.jpg': 'jpg', '.png': 'png' }
    const images = paths.flatMap((path) => {
      const format = formats[extname(path).toLowerCase()]
      return format ? [{ path, format }] : []
    })
    expect(images.length).toBeGreaterThan(100)
    for (const { path, format } of images) {
      const original = readFileSync(path)
      const parts = await read(original, format)
      // Its scan is damaged.
      if (basename(path) === 'corrupted.jpg') expect(parts).toBeNull()
      if (!parts) continue
      const { full, plain } = await clean(original, format)
      const look = async (bytes: Buffer) => {
        const stripped = await stripMetadata(bytes, { format, maxPixels: 300_000_000 })
        return [stripped.options.orientation ?? 1, crc32(await pixelsOf(stripped.bytes))]
      }
      const { facts, groups } = await tagsOf(full, format)
      expect([path, facts.latitude, facts.altitude, facts.aircraft]).toEqual([path, null, null, null])
      expect([path, Object.keys(groups).filter((name) => /GPS|XMP|IPTC|Maker|Thumbnail|IFD1/i.test(name))]).toEqual([
        path,
        [],
      ])
      const names = Object.values(groups).flatMap((group) => Object.keys(group))
      expect([path, names.filter((name) => /GPS|MakerNote|Serial|Owner|Comment|^XP|Software/.test(name))]).toEqual([
        path,
        [],
      ])
      expect([path, ...(await look(full)), ...(await look(plain))]).toEqual([
        path,
        ...(await look(original)),
        ...(await look(original)),
      ])
    }
  },
)
