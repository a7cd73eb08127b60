import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { dronePhoto, samplePhotos } from '@skyfolio/testkit'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { bufferSource } from '../src/formats/byte-source.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { quadrants } from './fixtures/quadrants.ts'
import './support.ts'
import { tiff } from './fixtures/tiff.ts'

const reader = startMetadataReader()
afterAll(() => reader.stop())

function segment(marker: number, ...parts: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)))
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

function jpegWith(...segments: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.from([0xff, 0xd9])])
}

/** EXIF with arbitrary entries; pointers among them may lead anywhere, also back. */
function exifWith(entries: { tag: number; type: number; count: number; value: number }[]): Buffer {
  const body = Buffer.alloc(8 + 2 + entries.length * 12 + 4)
  body.write('II*\0', 'latin1')
  body.writeUInt32LE(8, 4)
  body.writeUInt16LE(entries.length, 8)
  for (const [index, { tag, type, count, value }] of entries.entries()) {
    const at = 10 + index * 12
    body.writeUInt16LE(tag, at)
    body.writeUInt16LE(type, at + 2)
    body.writeUInt32LE(count, at + 4)
    body.writeUInt32LE(value, at + 8)
  }
  return segment(0xe1, Buffer.from('Exif\0\0', 'latin1'), body)
}

function xmpSegment(packet: string): Buffer {
  return segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', packet)
}

async function expectBoundedResult(file: Buffer): Promise<void> {
  const { facts, groups } = await reader.read((await extractTags(bufferSource(file), 'jpg')) ?? file, true)
  expect(Object.keys(facts)).toEqual(['metadata', 'latitude', 'longitude', 'altitude', 'dateTaken', 'aircraft'])
  const json = JSON.stringify({ facts, groups })
  expect(json.length).toBeLessThan(300_000)
  // The database accepts neither NUL nor unpaired surrogates in JSON.
  expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i)
}

test('reads a file with changed bytes quickly, with some result', async () => {
  const files = [await dronePhoto({ latitude: 46.8, longitude: -91.9 })]
  for (const path of samplePhotos()?.exif ?? []) if (path.endsWith('.jpg')) files.push(readFileSync(path))
  const heads = files.map((file) => file.subarray(0, 20_000))
  const change = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...heads),
      fc.array(change, { minLength: 1, maxLength: 30 }),
      async (head, changes) => {
        const file = Buffer.from(head)
        for (const { at, byte } of changes) file[Math.floor(at ** 2 * file.length)] = byte
        await expectBoundedResult(file)
      },
    ),
    { numRuns: 300 },
  )
})

test('reads directories with arbitrary offsets and counts quickly, with some result', async () => {
  const anyNumber = fc.oneof(fc.nat(300), fc.constantFrom(0, 8, 2 ** 31, 2 ** 32 - 1, 2 ** 28), fc.nat(2 ** 31))
  const entry = fc.record({
    tag: fc.oneof(fc.constantFrom(700, 271, 34665, 34853, 40965, 330, 1, 2, 3, 4, 36867, 37510, 33723), fc.nat(65535)),
    type: fc.nat(18),
    count: anyNumber,
    value: anyNumber,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), fc.string({ unit: 'binary' }), async (entries, packet) => {
      await expectBoundedResult(jpegWith(exifWith(entries), xmpSegment(`<a:b c:d="${packet}">${packet}</a:b>`)))
    }),
    { numRuns: 400 },
  )
})

test('never lets the metadata of one file appear in that of another', async () => {
  const evil =
    '<rdf:Description><__proto__:Make>evil</__proto__:Make><constructor:prototype a:Make="evil"/></rdf:Description>'
  await reader.read(jpegWith(xmpSegment(evil)), true)
  const plain = await reader.read(jpegWith(xmpSegment('<dc:title>plain</dc:title>')), true)
  expect(plain).toEqual({
    facts: { metadata: null, latitude: null, longitude: null, altitude: null, dateTaken: null, aircraft: null },
    groups: { 'XMP-dc': { title: 'plain' } },
  })
})

test('keeps as many tags as fit of a file with too many', async () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    xmpSegment(`<dc:t${index}>${'x'.repeat(60_000)}</dc:t${index}>`),
  )
  await expectBoundedResult(jpegWith(...many))
})

/** A PNG with an XMP text chunk. */
async function pngWithXmp(text: Buffer, compressed: boolean): Promise<Buffer> {
  const png = await quadrants(320, 300).png().toBuffer()
  const data = Buffer.concat([
    Buffer.from('XML:com.adobe.xmp\0', 'latin1'),
    Buffer.from([compressed ? 1 : 0, 0, 0, 0]),
    text,
  ])
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length)
  chunk.write('iTXt', 4)
  data.copy(chunk, 8)
  const afterHeader = 8 + 25
  return Buffer.concat([png.subarray(0, afterHeader), chunk, png.subarray(afterHeader)])
}

async function readAll(file: Buffer, format: 'jpg' | 'png') {
  return reader.read((await extractTags(bufferSource(file), format)) ?? file, true)
}

const DRONE = '<x:xmpmeta><rdf:RDF><rdf:Description drone-dji:RelativeAltitude="+39.80"/></rdf:RDF></x:xmpmeta>'

test('ignores an attribute of a megabyte without a value', async () => {
  const packet = `<x:xmpmeta><a:b ${'a'.repeat(1_000_000)}></a:b>${DRONE}`
  const { facts } = await readAll(await pngWithXmp(Buffer.from(packet), false), 'png')
  expect(facts.metadata).toEqual({ drone: { RelativeAltitude: 39.8 } })
  const jpeg = jpegWith(xmpSegment(`<a:b ${'a'.repeat(60_000)}></a:b>${DRONE}`))
  expect((await readAll(jpeg, 'jpg')).facts.metadata).toEqual({ drone: { RelativeAltitude: 39.8 } })
})

test('reads compressed XMP up to a size', async () => {
  const small = await pngWithXmp(deflateSync(DRONE), true)
  expect((await readAll(small, 'png')).facts.metadata).toEqual({ drone: { RelativeAltitude: 39.8 } })
  const bomb = await pngWithXmp(deflateSync(Buffer.concat([Buffer.from(DRONE), Buffer.alloc(60_000_000, 'a')])), true)
  expect((await extractTags(bufferSource(bomb), 'png'))?.length).toBeLessThan(1000)
  expect((await readAll(bomb, 'png')).facts.metadata).toBeNull()
})

test('keeps few of thousands of tags over the same bytes, and reads those before them', async () => {
  const make = { tag: 271, type: 2, count: 4, value: Buffer.from('DJI\0').readUInt32LE() }
  for (const type of [3, 5, 10, 12]) {
    const entries = Array.from({ length: 5000 }, (_, index) => ({ tag: 40_000 + index, type, count: 500, value: 8 }))
    const file = jpegWith(exifWith([make, ...entries]))
    const tags = await extractTags(bufferSource(file), 'jpg')
    expect(tags?.length).toBeLessThan(66_000)
    expect((await readAll(file, 'jpg')).facts.metadata).toEqual({ Make: 'DJI' })
  }
})

test('survives directories of thousands of long lists over the same bytes', async () => {
  const lists = Array.from({ length: 5000 }, (_, index) => ({ tag: 40_000 + index, type: 5, count: 7000, value: 8 }))
  for (const pointer of [34665, 34853]) {
    const pointerEntry = { tag: pointer, type: 4, count: 1, value: 8 }
    await expectBoundedResult(jpegWith(exifWith([pointerEntry, ...lists])))
  }
})

test('omits a colour profile that declares more languages than it has bytes', async () => {
  const profile = Buffer.alloc(200)
  profile.writeUInt32BE(1, 128)
  profile.write('desc', 132)
  profile.writeUInt32BE(144, 136)
  profile.writeUInt32BE(56, 140)
  profile.write('mluc', 144)
  profile.writeUInt32BE(2 ** 32 - 1, 152)
  const file = jpegWith(segment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile), xmpSegment(DRONE))
  expect((await readAll(file, 'jpg')).groups).toEqual({ 'XMP-drone-dji': { RelativeAltitude: '+39.80' } })
})

const exifSegment = (directory: Parameters<typeof tiff>[0][0]) =>
  segment(0xe1, Buffer.from('Exif\0\0', 'latin1'), tiff([directory]))

test('ends texts of EXIF at their first NUL', async () => {
  const exif = exifSegment({ 271: 'DJI\0XYZ', 34665: { parts: [{ 36867: '2024:05:01 10:00:00\0\0junk' }] } })
  const { facts, groups } = await readAll(jpegWith(exif), 'jpg')
  expect(facts).toMatchObject({ dateTaken: '2024-05-01T10:00:00', metadata: { Make: 'DJI' } })
  expect(groups).toMatchObject({ IFD0: { Make: 'DJI' }, EXIF: { DateTimeOriginal: '2024:05:01 10:00:00' } })
})

test('reads degrees written as a single fraction', async () => {
  const gps = {
    1: 'N',
    2: { rationals: [[401_234_567, 10_000_000]] as [number, number][] },
    3: 'W',
    4: { rationals: [[751_234_567, 10_000_000]] as [number, number][] },
  }
  const { facts } = await readAll(jpegWith(exifSegment({ 34853: { parts: [gps] } })), 'jpg')
  expect(facts).toMatchObject({ latitude: '40.1234567', longitude: '-75.1234567' })
})

test('reads XMP in UTF-16 of either byte order', async () => {
  const little = Buffer.from(`\ufeff${DRONE.replace('<rdf:RDF>', '<rdf:RDF><dc:title>Grüße ☺</dc:title>')}`, 'utf16le')
  const unmarked = little.subarray(2)
  for (const packet of [little, Buffer.from(little).swap16(), unmarked, Buffer.from(unmarked).swap16()]) {
    const xmp = segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', packet)
    const inTiff = await extractTags(bufferSource(tiff([{ 271: 'DJI', 700: { bytes: packet } }])), 'tif')
    for (const { facts, groups } of [await readAll(jpegWith(xmp), 'jpg'), await reader.read(inTiff ?? packet, true)]) {
      expect(facts.metadata).toMatchObject({ drone: { RelativeAltitude: 39.8 } })
      expect(groups).toMatchObject({ 'XMP-dc': { title: 'Grüße ☺' } })
    }
  }
})

test('shows all directories of EXIF, including those of the thumbnail and of interoperability', async () => {
  const exif = tiff([
    { 271: 'DJI', 34665: { parts: [{ 36867: '2024:05:06 07:08:09', 40965: { parts: [{ 1: 'R98' }] } }] } },
    { 259: [6] },
  ])
  const { groups } = await readAll(jpegWith(segment(0xe1, Buffer.from('Exif\0\0', 'latin1'), exif)), 'jpg')
  expect(groups).toMatchObject({
    IFD0: { Make: 'DJI' },
    EXIF: { DateTimeOriginal: '2024:05:06 07:08:09' },
    IFD1: { Compression: 6 },
    Interop: { InteropIndex: 'R98' },
  })
})
