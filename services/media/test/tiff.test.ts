import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type ByteSource, bufferSource } from '../src/formats/byte-source.ts'
import { detectFormat } from '../src/formats/detect-format.ts'
import { readTiff } from '../src/formats/tiff-structure.ts'
import { noise } from './fixtures/noise.ts'
import { type Directory, dng, page, tiff } from './fixtures/tiff.ts'
import { jpeg } from './support.ts'

const read = (bytes: Buffer) => readTiff(bufferSource(bytes))

/** Counts reads. */
function counted(bytes: Buffer): ByteSource & { reads: number } {
  const source = bufferSource(bytes)
  return {
    size: bytes.length,
    reads: 0,
    read(start, length) {
      this.reads += 1
      return source.read(start, length)
    },
  }
}

const pixels = (width: number, height: number) => Buffer.alloc(width * height * 3)

describe('a TIFF', () => {
  const made: [string, Promise<Buffer>][] = [
    ['with 16 bits', noise(320, 310).toColourspace('rgb16').tiff({ compression: 'lzw' }).toBuffer()],
    ['without compression', noise(320, 310).tiff({ compression: 'none' }).toBuffer()],
    ['with tiles', noise(320, 310).tiff({ tile: true, tileWidth: 128, tileHeight: 128 }).toBuffer()],
    ['with JPEG strips', noise(320, 310).tiff({ compression: 'jpeg' }).toBuffer()],
    ['with reduced versions', noise(320, 310).tiff({ tile: true, pyramid: true }).toBuffer()],
    ['with eight-byte offsets', noise(320, 310).tiff({ bigtiff: true }).toBuffer()],
  ]

  test.each(made)('%s is read, and is incomplete wherever it is cut off', async (_what, making) => {
    const bytes = await making
    expect(detectFormat(bytes)).toBe('tif')
    expect(await read(bytes)).toMatchObject({ format: 'tif', width: 320, height: 310, pages: 1, isComplete: true })
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 2), async (length) => !(await read(bytes.subarray(0, length))).isComplete),
      { numRuns: 50 },
    )
  })

  test('has the size of the largest of several pages, and of the first of equal ones', async () => {
    const bytes = tiff([page(pixels(300, 320), 300, 320), page(pixels(400, 500), 400, 500), page(pixels(9, 9), 9, 9)])
    expect(await read(bytes)).toMatchObject({ width: 400, height: 500, pages: 3, isComplete: true })
    const equal = tiff([page(pixels(40, 50), 40, 50), { ...page(pixels(50, 40), 50, 40), 274: [6] }])
    expect(await read(equal)).toMatchObject({ width: 40, height: 50, orientation: 1 })
    const animated = await sharp([await jpeg(), await jpeg()], { join: { animated: true } })
      .tiff()
      .toBuffer()
    expect(await read(animated)).toMatchObject({ width: 320, height: 300, pages: 2, isComplete: true })
  })

  test('is read with big-endian numbers', async () => {
    const bytes = Buffer.alloc(8 + 2 + 4 * 12 + 4 + 10)
    bytes.write('MM\0*', 'latin1')
    bytes.writeUInt32BE(8, 4)
    bytes.writeUInt16BE(4, 8)
    const tags = [
      [256, 3, 3000],
      [257, 4, 2000],
      [273, 4, 62],
      [279, 3, 10],
    ] as const
    for (const [index, [tag, type, value]] of tags.entries()) {
      const at = 10 + index * 12
      bytes.writeUInt16BE(tag, at)
      bytes.writeUInt16BE(type, at + 2)
      bytes.writeUInt32BE(1, at + 4)
      if (type === 3) bytes.writeUInt16BE(value, at + 8)
      else bytes.writeUInt32BE(value, at + 8)
    }
    expect(await read(bytes)).toMatchObject({ width: 3000, height: 2000, orientation: 1, isComplete: true })
    expect((await read(bytes.subarray(0, -1))).isComplete).toBe(false)
  })

  test('has the size of the full image below a reduced first page', async () => {
    const large = page(pixels(640, 480), 640, 480)
    const small: Directory = { 254: [1], ...page(pixels(64, 48), 64, 48), 274: [6], 330: { parts: [large] } }
    expect(await read(tiff([small]))).toMatchObject({ width: 640, height: 480, orientation: 6, isComplete: true })
  })

  test('has the size of its only image, also of one that says to be a reduced version', async () => {
    expect(await read(tiff([{ ...page(pixels(400, 300), 400, 300), 254: [1] }]))).toMatchObject({
      ...{ width: 400, height: 300, isComplete: true },
    })
  })

  test("that is another camera maker's raw file is identified as one", async () => {
    const sensor: Directory = { ...page(pixels(640, 480), 640, 480), 262: [32803] }
    const nef = tiff([{ ...page(pixels(160, 120), 160, 120), 254: [1], 330: { parts: [sensor] } }])
    expect(await read(nef)).toMatchObject({ format: 'tif', isForeignRaw: true })
    const cr2 = Buffer.from('II*\0\x10\0\0\0CR\x02\0\0\0\0\0\0\0\0\0', 'latin1')
    expect(await read(cr2)).toMatchObject({ isForeignRaw: true, isComplete: false })
  })
})

describe('a DNG', () => {
  test("has the size of its raw image, and the camera's previews, largest first", async () => {
    const previews = await Promise.all(
      [
        [320, 240],
        [1024, 768],
      ].map(async ([width = 0, height = 0]) => ({ jpeg: await jpeg(width, height), width, height })),
    )
    const bytes = dng({ previews, width: 4000, height: 3000, orientation: 6 })
    const facts = await read(bytes)
    expect(facts).toMatchObject({
      format: 'dng',
      width: 4000,
      height: 3000,
      orientation: 6,
      isComplete: true,
      isForeignRaw: false,
    })
    expect(facts.previews.map(({ width, height }) => [width, height])).toEqual([
      [1024, 768],
      [320, 240],
    ])
    for (const [index, { start, length }] of facts.previews.entries()) {
      expect(bytes.subarray(start, start + length).equals(previews[1 - index]?.jpeg ?? Buffer.alloc(0))).toBe(true)
    }
    expect((await read(bytes.subarray(0, -1))).isComplete).toBe(false)
  })

  test('has a thumbnail in the old way and a preview in the chain, and takes no raw data for a preview', async () => {
    const [thumbnail, preview] = [await jpeg(160, 120), await jpeg(800, 600)]
    const lossless = Buffer.from(await jpeg(3000, 2000))
    lossless[lossless.indexOf(Buffer.from([0xff, 0xc0])) + 1] = 0xc3
    const raw = (bytes: Buffer, photometric: number): Directory => ({
      254: [0],
      256: [3000],
      257: [2000],
      259: [7],
      262: [photometric],
      273: { parts: [bytes] },
      279: [bytes.length],
    })
    const facts = await read(
      tiff([
        {
          254: [1],
          256: [160],
          257: [120],
          330: { parts: [raw(await jpeg(3000, 2000), 34892), raw(lossless, 1)] },
          513: { parts: [thumbnail] },
          514: [thumbnail.length],
          50706: { bytes: Buffer.from([1, 4, 0, 0]) },
        },
        { 254: [1], 256: [800], 257: [600], 259: [7], 262: [6], 273: { parts: [preview] }, 279: [preview.length] },
      ]),
    )
    expect(facts).toMatchObject({ format: 'dng', width: 3000, height: 2000, isComplete: true })
    expect(facts.previews.map(({ width, length }) => [width, length])).toEqual([
      [800, preview.length],
      [160, thumbnail.length],
    ])
  })
})

describe('hostile directories', () => {
  const tags: Directory = { 256: [300], 257: [300], 273: [8], 279: [1] }

  test('are read once when they form a cycle', async () => {
    const bytes = tiff([tags, tags])
    const first = bytes.readUInt32LE(4)
    const second = bytes.readUInt32LE(first + 2 + 4 * 12)
    bytes.writeUInt32LE(first, second + 2 + 4 * 12)
    expect(await read(bytes)).toMatchObject({ pages: 2 })
  })

  test('in large numbers are read, and in very large ones make a file damaged', async () => {
    const many = counted(tiff(Array.from({ length: 1000 }, () => tags)))
    expect(await readTiff(many)).toMatchObject({ width: 300, pages: 1000, isComplete: true, hasTooManyParts: false })
    expect(many.reads).toBeLessThan(20)
    const tooMany = counted(tiff(Array.from({ length: 50_000 }, () => tags)))
    expect(await readTiff(tooMany)).toMatchObject({ isComplete: false, hasTooManyParts: true })
    expect(tooMany.reads).toBeLessThan(20)
  })

  test('count by the first of several entries of one tag, which is what the decoder uses', async () => {
    const bytes = tiff([{ ...tags, 258: [9000] }])
    const entries = bytes.readUInt32LE(4) + 2
    // BitsPerSample, the third entry, becomes a second width.
    bytes.writeUInt16LE(256, entries + 2 * 12)
    expect(await read(bytes)).toMatchObject({ width: 300, height: 300 })
  })

  test('cost a bounded number of reads with millions of distant strips', async () => {
    const bytes = tiff([tags])
    const directory = bytes.readUInt32LE(4)
    // Offsets and sizes of 50 million strips, allegedly in a file of 1 GB of zeros.
    for (const index of [2, 3]) {
      bytes.writeUInt32LE(50_000_000, directory + 2 + index * 12 + 4)
      bytes.writeUInt32LE(index * 200_000_000, directory + 2 + index * 12 + 8)
    }
    let reads = 0
    const source: ByteSource = {
      size: 1e9,
      async read(start, length) {
        reads += 1
        const part = Buffer.alloc(length)
        bytes.subarray(start).copy(part)
        return part
      },
    }
    expect(await readTiff(source)).toMatchObject({ hasTooManyParts: true })
    expect(reads).toBeLessThan(200)
  })

  test('never make the reader throw or read much, whatever the bytes', async () => {
    const whole = dng({ previews: [{ jpeg: await jpeg(), width: 320, height: 300 }], width: 30, height: 30 })
    const structure = whole.length - 700
    const changes = fc.array(fc.tuple(fc.nat(699), fc.constantFrom(0, 1, 2, 4, 127, 128, 255)), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (list, big) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of list) bytes[structure + at] = value
        if (big) Buffer.from('II+\0\x08\0\0\0', 'latin1').copy(bytes)
        const source = counted(bytes)
        const { width, height, previews } = await readTiff(source)
        expect(width * height).toBeGreaterThanOrEqual(0)
        expect(source.reads).toBeLessThanOrEqual(2048)
        for (const { start, length } of previews) expect(start + length).toBeLessThanOrEqual(bytes.length)
      }),
      { numRuns: 1000 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('II*\0', 'MM\0*', 'II+\0\x08\0\0\0', ''),
        async (tail, head) => {
          await read(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(tail)]))
        },
      ),
      { numRuns: 1000 },
    )
  })
})
