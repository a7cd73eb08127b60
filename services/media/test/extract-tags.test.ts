import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type ByteSource, bufferSource } from '../src/formats/byte-source.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { rewriteExif } from '../src/metadata/extract-tiff-tags.ts'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { stripMetadata } from '../src/renditions/strip-metadata.ts'
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

const XMP_IN_DNG =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmlns:drone-dji="http://www.dji.com/drone-dji/1.0/" drone-dji:GimbalYawDegree="+69.4"/></rdf:RDF></x:xmpmeta>'

test('reads XMP, EXIF and GPS below a sub-directory, where the first directory has none', async () => {
  const below: Directory = {
    271: 'not the maker',
    700: { bytes: Buffer.from(XMP_IN_DNG) },
    34665: { parts: [{ 36867: '2024:05:06 07:08:09' }] },
    34853: { parts: [gps] },
  }
  for (const parts of [[below], [{ 256: [160] }, below], [below, { 700: { bytes: Buffer.from('other') } }]]) {
    const tags = await extractTags(bufferSource(tiff([{ 271: 'DJI', 330: { parts } }])), 'dng')
    expect((await reader.read(tags ?? Buffer.alloc(0), false)).facts).toMatchObject({
      ...{ latitude: '-33.8583333', dateTaken: '2024-05-06T07:08:09' },
      metadata: { Make: 'DJI', heading: 69.4 },
    })
  }
  const own = { 34665: { parts: [{ 36867: '2020:01:01 00:00:00' }] }, 330: { parts: [below] } }
  const tags = await extractTags(bufferSource(tiff([own])), 'dng')
  expect((await reader.read(tags ?? Buffer.alloc(0), false)).facts).toMatchObject({
    ...{ latitude: '-33.8583333', dateTaken: '2020-01-01T00:00:00', metadata: { heading: 69.4 } },
  })
})

test('reads sub-directories that refer to each other or beyond the end in few reads', async () => {
  const file = tiff([{ 271: 'DJI', 330: Array.from({ length: 1000 }, (_, index) => 8 + (index % 3)) }])
  const source = counted(file)
  const tags = await extractTags(source, 'dng')
  expect(source.reads).toBeLessThan(40)
  expect((await reader.read(tags ?? file, false)).facts).toMatchObject({ metadata: { Make: 'DJI' } })
})

test('reads the IPTC dates of a TIFF', async () => {
  const dataset = (id: number, text: string) =>
    Buffer.concat([Buffer.from([0x1c, 2, id, 0, text.length]), Buffer.from(text)])
  const iptc = Buffer.concat([dataset(55, '20240506'), dataset(60, '070809-0500')])
  const tags = await extractTags(bufferSource(tiff([{ 271: 'DJI', 33723: { bytes: iptc } }])), 'tif')
  expect((await reader.read(tags ?? iptc, false)).facts.dateTaken).toBe('2024-05-06T07:08:09-05:00')
})

/** A PNG with these chunks after its pixels. */
async function pngWith(...chunks: [type: string, data: Buffer][]): Promise<Buffer> {
  const png = await quadrants(20, 15).png().toBuffer()
  const framed = chunks.map(([type, data]) => {
    const frame = Buffer.alloc(12 + data.length)
    frame.writeUInt32BE(data.length, 0)
    frame.write(type, 4, 'latin1')
    data.copy(frame, 8)
    return frame
  })
  return Buffer.concat([png.subarray(0, -12), ...framed, png.subarray(-12)])
}

const profile = (name: string, bytes: Buffer, digits = bytes.toString('hex')) =>
  Buffer.from(`\n${name}\n${String(bytes.length).padStart(8)}\n${digits.replaceAll(/.{72}/g, '$&\n')}\n`)
const asText = (keyword: string, text: Buffer) => ['tEXt', Buffer.concat([Buffer.from(`${keyword}\0`), text])] as const
const asZippedText = (keyword: string, text: Buffer) =>
  ['zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`), deflateSync(text)])] as const
const asInternationalText = (keyword: string, text: Buffer) =>
  ['iTXt', Buffer.concat([Buffer.from(`${keyword}\0\x01\0de\0\0`), deflateSync(text)])] as const
const exifOf = (date: string) => tiff([{ 271: 'DJI', 34665: { parts: [{ 36867: date }] } }])
const HEAD = Buffer.from('Exif\0\0', 'latin1')

async function factsOfPng(...chunks: (readonly [type: string, data: Buffer])[]) {
  const png = await pngWith(...chunks.map(([type, data]): [string, Buffer] => [type, data]))
  return (await reader.read((await extractTags(bufferSource(png), 'png')) ?? png, false)).facts
}

test('reads EXIF and XMP that are texts of a PNG', async () => {
  const exif = exifOf('2024:05:06 07:08:09')
  const xmp = Buffer.from(XMP_IN_DNG)
  const named = Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), xmp])
  for (const as of [asText, asZippedText, asInternationalText]) {
    for (const [keyword, bytes] of [
      ['exif', Buffer.concat([HEAD, exif])],
      ['APP1', Buffer.concat([HEAD, exif])],
      ['exif', exif],
    ] as const)
      expect(await factsOfPng(as(`Raw profile type ${keyword}`, profile(keyword, bytes)))).toMatchObject({
        ...{ dateTaken: '2024-05-06T07:08:09', metadata: { Make: 'DJI' } },
      })
    for (const [keyword, text] of [
      ['Raw profile type xmp', profile('xmp', xmp)],
      ['Raw profile type APP1', profile('generic', named)],
      ['XML:com.adobe.xmp', xmp],
    ] as const)
      expect((await factsOfPng(as(keyword, text))).metadata?.heading).toBe(69.4)
  }
})

test('prefers the EXIF of a PNG to one in a text, and EXIF to the time of creation', async () => {
  const text = asZippedText('Raw profile type exif', profile('exif', exifOf('2020:01:01 00:00:00')))
  const facts = await factsOfPng(text, ['eXIf', exifOf('2024:05:06 07:08:09')])
  expect(facts.dateTaken).toBe('2024-05-06T07:08:09')
  const created = asText('Creation Time', Buffer.from('2019:01:01 00:00:00'))
  expect((await factsOfPng(created, text)).dateTaken).toBe('2020-01-01T00:00:00')
})

test.each([
  ['2024:05:06 07:08:09', ''],
  ['Mon, 6 May 2024 07:08:09 GMT', 'Z'],
  ['2024-05-06T07:08:09-05:00', '-05:00'],
])('reads the time of creation %j of a PNG', async (written, zone) => {
  for (const as of [asText, asZippedText, asInternationalText])
    expect((await factsOfPng(as('Creation Time', Buffer.from(written)))).dateTaken).toBe(`2024-05-06T07:08:09${zone}`)
})

test('reads hostile texts of a PNG as none, with little work', async () => {
  const bomb = asZippedText('Raw profile type exif', Buffer.alloc(60_000_000, '0'))
  const exif = exifOf('2024:05:06 07:08:09')
  const texts = [
    bomb,
    ...Array.from({ length: 20 }, () => bomb),
    asText('Raw profile type exif', Buffer.from('\nexif\n99999999\n45786966')),
    asText('Raw profile type exif', profile('exif', exif, 'zz')),
    asText('Raw profile type exif', Buffer.from('nothing')),
    asText('__proto__', Buffer.from('x')),
    ['zTXt', Buffer.from('Raw profile type exif')] as const,
    ['iTXt', Buffer.from('Creation Time\0')] as const,
  ]
  for (const text of texts) expect(await factsOfPng(text)).toMatchObject({ dateTaken: null, metadata: null })
  expect(await factsOfPng(...texts)).toMatchObject({ dateTaken: null, metadata: null })
  const odd = asText('Raw profile type exif', profile('exif', exif, `${exif.toString('hex')}4`))
  expect((await factsOfPng(odd)).dateTaken).toBe('2024-05-06T07:08:09')
})

test('decodes few of many texts of a PNG that say they are EXIF and are XMP', async () => {
  const xmp = Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), Buffer.alloc(500_000)])
  const text = asZippedText('Raw profile type APP1', profile('APP1', xmp))
  const png = await pngWith(...Array.from({ length: 500 }, (): [string, Buffer] => [text[0], text[1]]))
  const { user: before } = process.cpuUsage()
  await extractTags(bufferSource(png), 'png')
  await stripMetadata(png, { format: 'png', maxPixels: 1000 })
  expect(process.cpuUsage().user - before).toBeLessThan(1_500_000)
})

/** A JPEG with these segments of APP1. */
function jpegWith(...segments: Buffer[]): Buffer {
  const framed = segments.map((data) => {
    const head = Buffer.from([0xff, 0xe1, 0, 0])
    head.writeUInt16BE(data.length + 2, 2)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...framed, Buffer.from([0xff, 0xd9])])
}

test('reads the extended XMP of a JPEG, whose parts may be in any order', async () => {
  const id = 'A'.repeat(32)
  const first = Buffer.from(`http://ns.adobe.com/xap/1.0/\0<rdf:Description xmpNote:HasExtendedXMP="${id}"/>`)
  const gpano = Buffer.from(
    '<rdf:Description xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" GPano:ProjectionType="equirectangular"/>',
  )
  const part = (of: string, offset: number, end?: number) => {
    const numbers = Buffer.alloc(8)
    numbers.writeUInt32BE(gpano.length, 0)
    numbers.writeUInt32BE(offset, 4)
    return Buffer.concat([
      Buffer.from(`http://ns.adobe.com/xmp/extension/\0${of}`),
      numbers,
      gpano.subarray(offset, end),
    ])
  }
  const panoramaOf = async (...segments: Buffer[]) => {
    const tags = await extractTags(bufferSource(jpegWith(...segments)), 'jpg')
    return (await reader.read(tags ?? first, false)).facts.metadata?.panorama
  }
  const sphere = { ProjectionType: 'equirectangular' }
  expect(await panoramaOf(first, part(id, 0))).toEqual(sphere)
  expect(await panoramaOf(first, part(id, 50), part(id, 0, 50))).toEqual(sphere)
  expect(await panoramaOf(first, part('B'.repeat(32), 0))).toBeUndefined()
  expect(await panoramaOf(first, part(id, 50))).toBeUndefined()
  expect(await panoramaOf(part(id, 0))).toBeUndefined()
  expect(await panoramaOf(first, Buffer.from(`http://ns.adobe.com/xmp/extension/\0${id}`))).toBeUndefined()
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
