import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type ByteSource, bufferSource } from '../src/formats/byte-source.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { rewriteExif } from '../src/metadata/extract-tiff-tags.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { directory } from './fixtures/endless-exif.ts'
import { quadrants } from './fixtures/quadrants.ts'
import { type Directory, dng, tiff } from './fixtures/tiff.ts'
import './support.ts'

const reader = startMetadataReader()
afterAll(() => reader.stop())

/** Counts reads and bytes read. */
function counted(bytes: Buffer): ByteSource & { reads: number; bytesRead: number } {
  const source = bufferSource(bytes)
  return {
    ...source,
    reads: 0,
    bytesRead: 0,
    async read(start, length) {
      this.reads += 1
      const found = await source.read(start, length)
      this.bytesRead += found.length
      return found
    },
  }
}

const gps: Directory = {
  1: 'S',
  2: {
    rationals: [
      [33, 1],
      [51, 1],
      [30, 1],
    ],
  },
  3: 'E',
  4: {
    rationals: [
      [151, 1],
      [12, 1],
      [36, 1],
    ],
  },
}

test('finds the tags at the end of a large TIFF without reading its pixels', async () => {
  const pixels = Buffer.alloc(40_000_000)
  const xmp =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:drone-dji="http://www.dji.com/drone-dji/1.0/" drone-dji:RelativeAltitude="+39.80"/></rdf:RDF></x:xmpmeta>'
  const source = counted(
    tiff([
      {
        271: 'DJI',
        273: { parts: [pixels] },
        700: { bytes: Buffer.from(xmp) },
        34665: { parts: [{ 36867: '2024:05:06 07:08:09', 37500: { bytes: Buffer.alloc(100_000) } }] },
        34853: { parts: [gps] },
      },
    ]),
  )
  const tags = await extractTags(source, 'tif')
  expect(tags?.length).toBeLessThan(2000)
  expect(source.bytesRead).toBeLessThan(1_000_000)
  expect((await reader.read(tags ?? Buffer.alloc(0), false)).facts).toMatchObject({
    latitude: '-33.8583333',
    longitude: '151.21',
    dateTaken: '2024-05-06T07:08:09',
    metadata: { Make: 'DJI', drone: { RelativeAltitude: 39.8 } },
  })
})

test('reads the tags of a big-endian BigTIFF', async () => {
  const header = Buffer.from('4d4d002b000800000000000000000010', 'hex')
  const entry = (tag: number, type: number, count: number, value: string) => {
    const bytes = Buffer.alloc(20)
    bytes.writeUInt16BE(tag, 0)
    bytes.writeUInt16BE(type, 2)
    bytes.writeBigUInt64BE(BigInt(count), 4)
    bytes.write(value, 12, 'hex')
    return bytes
  }
  const count = Buffer.from('0000000000000002', 'hex')
  const next = Buffer.alloc(8)
  const exifAt = 16 + 8 + 40 + 8
  const date = Buffer.from('2024:05:06 07:08:09\0', 'latin1')
  const file = Buffer.concat([
    header,
    count,
    entry(271, 2, 4, Buffer.from('DJI\0').toString('hex')),
    entry(34665, 16, 1, exifAt.toString(16).padStart(16, '0')),
    next,
    Buffer.from('0000000000000001', 'hex'),
    entry(36867, 2, 20, (exifAt + 8 + 20 + 8).toString(16).padStart(16, '0')),
    next,
    date,
  ])
  const tags = await extractTags(bufferSource(file), 'tif')
  expect((await reader.read(tags ?? file, false)).facts).toMatchObject({
    dateTaken: '2024-05-06T07:08:09',
    metadata: { Make: 'DJI' },
  })
})

test('finds the EXIF of a PNG after its pixels', async () => {
  const png = await quadrants(2000, 1500)
    .png({ compressionLevel: 0 })
    .withExif({ IFD0: { Make: 'DJI' } })
    .toBuffer()
  const at = png.indexOf('eXIf') - 4
  const chunk = png.subarray(at, at + 12 + png.readUInt32BE(at))
  const end = png.length - 12
  const moved = Buffer.concat([png.subarray(0, at), png.subarray(at + chunk.length, end), chunk, png.subarray(end)])
  expect(moved.indexOf('eXIf')).toBeGreaterThan(8_000_000)
  const tags = await extractTags(bufferSource(moved), 'png')
  expect(tags?.length).toBeLessThan(2000)
  expect((await reader.read(tags ?? moved, false)).facts).toMatchObject({ metadata: { Make: 'DJI' } })
})

test('reads the tags of a file with changed bytes in few reads, with some result', async () => {
  const files = {
    tif: tiff([{ 271: 'DJI', 34665: { parts: [{ 36867: '2024:05:06 07:08:09' }] }, 34853: { parts: [gps] } }]),
    dng: dng({ previews: [], width: 320, height: 300 }),
    png: await quadrants(320, 300)
      .png()
      .withExif({ IFD0: { Make: 'DJI' } })
      .toBuffer(),
  }
  const change = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('tif' as const, 'dng' as const, 'png' as const),
      fc.array(change, { minLength: 1, maxLength: 12 }),
      async (format, changes) => {
        const bytes = Buffer.from(files[format])
        for (const { at, byte } of changes) bytes[Math.floor(at * bytes.length)] = byte
        const source = counted(bytes)
        const tags = await extractTags(source, format)
        expect(source.reads).toBeLessThan(300)
        expect((await reader.read(tags ?? Buffer.alloc(0), false)).facts).toHaveProperty('metadata')
      },
    ),
    { numRuns: 400 },
  )
})

test('reads EXIF that ends before or within the offset of its next directory', async () => {
  const exif = directory([{ tag: 274, type: 3, value: 6 }])
  const complete = await rewriteExif(exif)
  expect(complete.length).toBeGreaterThan(0)
  for (const missing of [1, 2, 3, 4])
    expect((await rewriteExif(exif.subarray(0, -missing))).equals(complete)).toBe(true)
})
