import type { ImageScanner, ImageSize } from './image-scanner.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Length and type; the data of a chunk is followed by a checksum of 4 bytes. */
const CHUNK_HEAD_BYTES = 8
const CHECKSUM_BYTES = 4
/** Width and height, at the start of the first chunk, IHDR. */
const SIZE_BYTES = 8

/** More than any accepted PNG has: pixels are in chunks of some kilobytes. */
export const MAX_CHUNKS = 100_000

/** Scans a PNG up to the end of IEND; chunks are skipped by their length. */
export class PngScanner implements ImageScanner {
  size: ImageSize | null = null
  isComplete = false
  hasTooManyParts = false
  #partial = Buffer.alloc(0)
  #needed = SIGNATURE.length
  #state: 'signature' | 'chunk' | 'size' | 'skip' | 'lost' = 'signature'
  #skip = 0
  #hasData = false
  #isLast = false
  #chunks = 0

  /** Whether a file with these first bytes is a PNG. */
  static matches(head: Buffer): boolean {
    return head.subarray(0, SIGNATURE.length).equals(SIGNATURE)
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.isComplete && !this.hasTooManyParts && this.#state !== 'lost') {
      at += this.#state === 'skip' ? this.#skipBytes(chunk.length - at) : this.#collect(chunk.subarray(at))
    }
  }

  end(): void {}

  #skipBytes(available: number): number {
    const skipped = Math.min(this.#skip, available)
    this.#skip -= skipped
    if (this.#skip > 0) return skipped
    if (this.#isLast) this.isComplete = this.#hasData
    this.#expect(this.#isLast ? 'lost' : 'chunk', CHUNK_HEAD_BYTES)
    return skipped
  }

  #collect(bytes: Buffer): number {
    const part = bytes.subarray(0, this.#needed - this.#partial.length)
    this.#partial = Buffer.concat([this.#partial, part])
    if (this.#partial.length === this.#needed) this.#read(this.#partial)
    return part.length
  }

  #expect(state: 'chunk' | 'size' | 'lost', bytes: number): void {
    this.#state = state
    this.#needed = bytes
    this.#partial = Buffer.alloc(0)
  }

  #read(bytes: Buffer): void {
    if (this.#state === 'signature') this.#expect('chunk', CHUNK_HEAD_BYTES)
    else if (this.#state === 'size') this.#readSize(bytes)
    else this.#readChunkHead(bytes.readUInt32BE(0), bytes.toString('latin1', 4))
  }

  #readChunkHead(length: number, type: string): void {
    this.#chunks += 1
    this.hasTooManyParts = this.#chunks > MAX_CHUNKS
    this.#skip = length + CHECKSUM_BYTES
    this.#hasData ||= type === 'IDAT' && length > 0
    this.#isLast = type === 'IEND'
    if (this.size) this.#state = 'skip'
    else this.#expect(type === 'IHDR' && length >= SIZE_BYTES ? 'size' : 'lost', SIZE_BYTES)
  }

  #readSize(bytes: Buffer): void {
    this.size = { width: bytes.readUInt32BE(0), height: bytes.readUInt32BE(4) }
    this.#skip -= SIZE_BYTES
    this.#state = 'skip'
  }
}
