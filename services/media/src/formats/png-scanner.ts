import type { ImageScanner, ImageSize } from './image-scanner.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Length and type; after a chunk's data a checksum of 4 bytes. */
const CHUNK_HEAD_BYTES = 8
const CHECKSUM_BYTES = 4
/** Width and height stand at the beginning of the first chunk, IHDR. */
const SIZE_BYTES = 8

/** Reads a PNG as it passes by: chunks are skipped by their length, up to the end of IEND. */
export class PngScanner implements ImageScanner {
  size: ImageSize | null = null
  complete = false
  #small = Buffer.alloc(0)
  #wanted = SIGNATURE.length
  #state: 'signature' | 'chunk' | 'size' | 'skip' | 'lost' = 'signature'
  #skip = 0
  #hasData = false
  #isLast = false

  /** Whether these first bytes are a PNG's. */
  static matches(head: Buffer): boolean {
    return head.subarray(0, SIGNATURE.length).equals(SIGNATURE)
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.complete && this.#state !== 'lost') {
      at += this.#state === 'skip' ? this.#pass(chunk.length - at) : this.#collect(chunk.subarray(at))
    }
  }

  end(): void {}

  #pass(available: number): number {
    const passed = Math.min(this.#skip, available)
    this.#skip -= passed
    if (this.#skip > 0) return passed
    if (this.#isLast) this.complete = this.#hasData
    this.#expect(this.#isLast ? 'lost' : 'chunk', CHUNK_HEAD_BYTES)
    return passed
  }

  #collect(bytes: Buffer): number {
    const taken = bytes.subarray(0, this.#wanted - this.#small.length)
    this.#small = Buffer.concat([this.#small, taken])
    if (this.#small.length === this.#wanted) this.#take(this.#small)
    return taken.length
  }

  #expect(state: 'chunk' | 'size' | 'lost', bytes: number): void {
    this.#state = state
    this.#wanted = bytes
    this.#small = Buffer.alloc(0)
  }

  #take(bytes: Buffer): void {
    if (this.#state === 'signature') this.#expect('chunk', CHUNK_HEAD_BYTES)
    else if (this.#state === 'size') this.#takeSize(bytes)
    else this.#takeChunk(bytes.readUInt32BE(0), bytes.toString('latin1', 4))
  }

  #takeChunk(length: number, type: string): void {
    this.#skip = length + CHECKSUM_BYTES
    this.#hasData ||= type === 'IDAT' && length > 0
    this.#isLast = type === 'IEND'
    if (this.size) this.#state = 'skip'
    else this.#expect(type === 'IHDR' && length >= SIZE_BYTES ? 'size' : 'lost', SIZE_BYTES)
  }

  #takeSize(bytes: Buffer): void {
    this.size = { width: bytes.readUInt32BE(0), height: bytes.readUInt32BE(4) }
    this.#skip -= SIZE_BYTES
    this.#state = 'skip'
  }
}
