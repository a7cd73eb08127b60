import { crc32 } from 'node:zlib'
import type { ByteRange } from '../files/responses.ts'
import { PartScanner } from '../formats/image-scanner.ts'
import { CHECKSUM_BYTES, CHUNK_HEAD_BYTES, encodeChunk, MAX_CHUNKS, SIGNATURE } from '../formats/png-scanner.ts'
import { MAX_PROFILES, mayBeExif, readExifText, TEXTS, withoutPrefix } from '../formats/png-text.ts'
import { type CleanParts, encodeHeads, MAX_HEAD_BYTES } from './clean-parts.ts'

/** What decoders need before the pixels; colours, transparency and resolution. */
const KEPT = 'IHDR PLTE tRNS gAMA cHRM sRGB iCCP sBIT pHYs cICP mDCV cLLI bKGD'.split(' ')
/** Of pixels, at once. */
const PART_BYTES = 65_536

/** The chunk at the end of a cleaned PNG: it has nothing behind the pixels. */
export const PNG_END = encodeChunk('IEND')

/** Reads a PNG to its end. Null for one that is damaged. */
export async function cleanPng(chunks: AsyncIterable<Buffer>): Promise<CleanParts | null> {
  const scanner = new PngCleaner()
  for await (const chunk of chunks) {
    scanner.push(chunk)
    if (scanner.isComplete) break
  }
  const { isComplete, kept, exif, pixels, checksum } = scanner
  if (!isComplete || !pixels) return null
  const encode = (clean: Buffer) =>
    Buffer.concat([SIGNATURE, ...kept, ...(clean.length > 0 ? [encodeChunk('eXIf', clean)] : [])])
  return encodeHeads(exif ?? (await scanner.readExifText()), encode, { range: pixels, rangeCrc32: checksum })
}

class PngCleaner extends PartScanner {
  /** Whole chunks. */
  readonly kept: Buffer[] = []
  exif: Buffer | null = null
  /** The chunks of pixels, which follow each other. */
  pixels: ByteRange | null = null
  /** Of those. */
  checksum = 0
  /** Those that may be EXIF. */
  readonly #texts: [type: string, data: Buffer][] = []
  #bytes = 0

  protected *scan(): Generator<number, void, Buffer> {
    yield SIGNATURE.length
    let at = SIGNATURE.length
    for (let chunks = 1; ; chunks += 1) {
      const head = yield CHUNK_HEAD_BYTES
      this.hasTooManyParts = chunks > MAX_CHUNKS
      const type = head.toString('latin1', 4)
      const bytes = head.readUInt32BE(0) + CHECKSUM_BYTES
      if (type === 'IEND') break
      if (chunks === 1 && type !== 'IHDR') return
      const start = at
      at += CHUNK_HEAD_BYTES + bytes
      if (type === 'IDAT') {
        if (this.pixels && this.pixels.end !== start - 1) return
        this.pixels = { start: this.pixels?.start ?? start, end: at - 1 }
        yield* this.#readPixels(head, bytes)
      } else if (this.#isNeeded(type)) {
        this.#bytes += bytes
        if (this.#bytes > MAX_HEAD_BYTES) return
        const data = yield bytes
        if (type === 'eXIf') this.exif = withoutPrefix(data.subarray(0, -CHECKSUM_BYTES))
        else this.kept.push(Buffer.concat([head, data]))
      } else if (TEXTS.includes(type) && bytes <= MAX_HEAD_BYTES) {
        const data = (yield bytes).subarray(0, -CHECKSUM_BYTES)
        if (this.#texts.length < MAX_PROFILES && mayBeExif(type, data)) this.#texts.push([type, data])
      } else this.skip(bytes)
    }
    this.isComplete = true
  }

  /** As ImageMagick and others write it. */
  async readExifText(): Promise<Buffer | null> {
    for (const [type, data] of this.#texts) {
      const exif = await readExifText(type, data)
      if (exif) return exif
    }
    return null
  }

  #isNeeded(type: string): boolean {
    return type === 'eXIf' ? !this.exif : !this.pixels && KEPT.includes(type)
  }

  *#readPixels(head: Buffer, bytes: number): Generator<number, void, Buffer> {
    this.checksum = crc32(head, this.checksum)
    for (let left = bytes; left > 0; left -= PART_BYTES)
      this.checksum = crc32(yield Math.min(left, PART_BYTES), this.checksum)
  }
}
