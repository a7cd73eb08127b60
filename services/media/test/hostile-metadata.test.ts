import { readFileSync } from 'node:fs'
import { dronePhoto, samplePhotos } from '@skyfolio/kit/testing'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { bytesInMemory } from '../src/formats/byte-source.ts'
import { startMetadataReader } from '../src/metadata/reader.ts'
import { tagsOf } from '../src/metadata/tags.ts'
import './support.ts'

const reader = startMetadataReader()
afterAll(() => reader.stop())

/** A segment of a JPEG. */
function segment(marker: number, ...parts: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)))
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

function jpegOf(...segments: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.from([0xff, 0xd9])])
}

/** EXIF of directories whose entries say whatever they like; pointers among them lead to any place, also back. */
function exifOf(entries: { tag: number; type: number; count: number; value: number }[]): Buffer {
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

function xmpOf(packet: string): Buffer {
  return segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', packet)
}

async function expectSomething(file: Buffer): Promise<void> {
  const { facts, groups } = await reader.readAll((await tagsOf(bytesInMemory(file), 'jpg')) ?? file)
  expect(Object.keys(facts)).toEqual(['metadata', 'latitude', 'longitude', 'altitude', 'dateTaken'])
  const said = JSON.stringify({ facts, groups })
  expect(said.length).toBeLessThan(300_000)
  // What the database keeps as JSON: no NUL, no half characters.
  expect(said).not.toMatch(/\\u0000|\\ud[89a-f]/i)
}

test('a file of which any bytes are changed says something, soon', async () => {
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
        await expectSomething(file)
      },
    ),
    { numRuns: 300 },
  )
})

test('directories that point anywhere and count anything say something, soon', async () => {
  const anyNumber = fc.oneof(fc.nat(300), fc.constantFrom(0, 8, 2 ** 31, 2 ** 32 - 1, 2 ** 28), fc.nat(2 ** 31))
  const entry = fc.record({
    tag: fc.oneof(fc.constantFrom(700, 271, 34665, 34853, 40965, 330, 1, 2, 3, 4, 36867, 37510, 33723), fc.nat(65535)),
    type: fc.nat(18),
    count: anyNumber,
    value: anyNumber,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), fc.string({ unit: 'binary' }), async (entries, packet) => {
      await expectSomething(jpegOf(exifOf(entries), xmpOf(`<a:b c:d="${packet}">${packet}</a:b>`)))
    }),
    { numRuns: 400 },
  )
})

test("what one file says never shows in another's, however it is written", async () => {
  const evil =
    '<rdf:Description><__proto__:Make>evil</__proto__:Make><constructor:prototype a:Make="evil"/></rdf:Description>'
  await reader.readAll(jpegOf(xmpOf(evil)))
  const plain = await reader.readAll(jpegOf(xmpOf('<dc:title>plain</dc:title>')))
  expect(plain).toEqual({
    facts: { metadata: null, latitude: null, longitude: null, altitude: null, dateTaken: null },
    groups: { 'XMP-dc': { title: 'plain' } },
  })
})

test('of a file with more tags than anybody reads, as many are kept as fit', async () => {
  const many = Array.from({ length: 40 }, (_, index) => xmpOf(`<dc:t${index}>${'x'.repeat(60_000)}</dc:t${index}>`))
  await expectSomething(jpegOf(...many))
})
