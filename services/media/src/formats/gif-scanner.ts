import type { ImageScanner, ImageSize } from './image-scanner.ts'

/** Signature, width, height, flags, background, aspect. */
const HEADER_BYTES = 13
const IMAGE = 0x2c
const EXTENSION = 0x21
const TRAILER = 0x3b
/** Position, size and flags of an image. */
const DESCRIPTOR_BYTES = 9

/** Ten times what a GIF of 25 MB has: data is in blocks of 255 bytes. */
const MAX_BLOCKS = 1_000_000

/** Bytes of the colour table according to the flags. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Scans a GIF up to its trailer; tables and data are skipped by their length. */
export class GifScanner implements ImageScanner {
  size: ImageSize | null = null
  isComplete = false
  hasTooManyParts = false
  #state: 'header' | 'block' | 'descriptor' | 'data' | 'lost' = 'header'
  #partial = Buffer.alloc(0)
  /** Bytes to skip before the state applies. */
  #skip = 0
  #images = 0
  #blocks = 0
  #isImage = false
  #last = 0

  /** Whether a file with these first bytes is a GIF. */
  static matches(head: Buffer): boolean {
    return /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))
  }

  push(chunk: Buffer): void {
    this.#last = chunk.at(-1) ?? this.#last
    let at = 0
    while (at < chunk.length && !this.isComplete && !this.hasTooManyParts && this.#state !== 'lost') {
      at += this.#skip > 0 ? this.#skipBytes(chunk.length - at) : this.#step(chunk, at)
    }
  }

  /** Damage may hide the trailer, but it is still the last byte of the file. */
  end(): void {
    if (this.#state === 'lost' && this.#images > 0 && this.#last === TRAILER) this.isComplete = true
  }

  #skipBytes(available: number): number {
    const skipped = Math.min(this.#skip, available)
    this.#skip -= skipped
    return skipped
  }

  /** Consumes what the state expects; returns the number of bytes. */
  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'header' || this.#state === 'descriptor') return this.#collect(chunk, at)
    this.#blocks += 1
    this.hasTooManyParts = this.#blocks > MAX_BLOCKS
    const byte = chunk[at] ?? 0
    if (this.#state === 'block') this.#readBlockCode(byte)
    else this.#readLength(byte)
    return 1
  }

  #collect(chunk: Buffer, at: number): number {
    const needed = this.#state === 'header' ? HEADER_BYTES : DESCRIPTOR_BYTES
    const part = chunk.subarray(at, at + needed - this.#partial.length)
    const collected = Buffer.concat([this.#partial, part])
    this.#partial = collected.length < needed ? collected : Buffer.alloc(0)
    if (collected.length < needed) return part.length
    if (this.#state === 'header') this.#readHeader(collected)
    else this.#readDescriptor(collected)
    return part.length
  }

  #readHeader(header: Buffer): void {
    this.size = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
    this.#skip = tableBytes(header[10] ?? 0)
    this.#state = 'block'
  }

  #readBlockCode(code: number): void {
    // Some writers pad with zeros between blocks.
    if (code === 0) return
    this.#isImage = code === IMAGE
    if (code === TRAILER) this.isComplete = this.#images > 0
    if (code === IMAGE) this.#state = 'descriptor'
    else if (code === EXTENSION) this.#skipThenData(1)
    else if (!this.isComplete) this.#state = 'lost'
  }

  #readDescriptor(descriptor: Buffer): void {
    // The table is followed by one byte, the size of the first codes.
    this.#skipThenData(tableBytes(descriptor[8] ?? 0) + 1)
  }

  #skipThenData(bytes: number): void {
    this.#skip = bytes
    this.#state = 'data'
  }

  #readLength(length: number): void {
    this.#skip = length
    if (length > 0) return
    if (this.#isImage) this.#images += 1
    this.#state = 'block'
  }
}
