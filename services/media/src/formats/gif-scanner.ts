import type { ImageScanner, ImageSize } from './image-scanner.ts'

/** Signature, width, height, flags, background, aspect. */
const HEADER_BYTES = 13
const IMAGE = 0x2c
const EXTENSION = 0x21
const TRAILER = 0x3b
/** Position, size and flags of an image. */
const DESCRIPTOR_BYTES = 9

/** Bytes of the colour table that the flags announce. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Reads a GIF as it passes by: tables and data are skipped by their length, up to the trailer. */
export class GifScanner implements ImageScanner {
  size: ImageSize | null = null
  complete = false
  #state: 'header' | 'block' | 'descriptor' | 'data' | 'lost' = 'header'
  #small = Buffer.alloc(0)
  /** Bytes to pass before the state holds. */
  #skip = 0
  #images = 0
  #isImage = false
  #last = 0

  /** Whether these first bytes are a GIF's. */
  static matches(head: Buffer): boolean {
    return /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))
  }

  push(chunk: Buffer): void {
    this.#last = chunk.at(-1) ?? this.#last
    let at = 0
    while (at < chunk.length && !this.complete && this.#state !== 'lost') {
      at += this.#skip > 0 ? this.#pass(chunk.length - at) : this.#step(chunk, at)
    }
  }

  /** Damage may hide the trailer, but then it is still the file's last byte. */
  end(): void {
    if (this.#state === 'lost' && this.#images > 0 && this.#last === TRAILER) this.complete = true
  }

  #pass(available: number): number {
    const passed = Math.min(this.#skip, available)
    this.#skip -= passed
    return passed
  }

  /** Takes what the state wants, and tells how many bytes that were. */
  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'header' || this.#state === 'descriptor') return this.#collect(chunk, at)
    const byte = chunk[at] ?? 0
    if (this.#state === 'block') this.#takeBlock(byte)
    else this.#takeLength(byte)
    return 1
  }

  #collect(chunk: Buffer, at: number): number {
    const wanted = this.#state === 'header' ? HEADER_BYTES : DESCRIPTOR_BYTES
    const taken = chunk.subarray(at, at + wanted - this.#small.length)
    const collected = Buffer.concat([this.#small, taken])
    this.#small = collected.length < wanted ? collected : Buffer.alloc(0)
    if (collected.length < wanted) return taken.length
    if (this.#state === 'header') this.#takeHeader(collected)
    else this.#takeDescriptor(collected)
    return taken.length
  }

  #takeHeader(header: Buffer): void {
    this.size = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
    this.#skip = tableBytes(header[10] ?? 0)
    this.#state = 'block'
  }

  #takeBlock(code: number): void {
    // Some writers pad with zeros between blocks.
    if (code === 0) return
    this.#isImage = code === IMAGE
    if (code === TRAILER) this.complete = this.#images > 0
    if (code === IMAGE) this.#state = 'descriptor'
    else if (code === EXTENSION) this.#skipThenData(1)
    else if (!this.complete) this.#state = 'lost'
  }

  #takeDescriptor(descriptor: Buffer): void {
    // After the table one byte more: the size of the first codes.
    this.#skipThenData(tableBytes(descriptor[8] ?? 0) + 1)
  }

  #skipThenData(bytes: number): void {
    this.#skip = bytes
    this.#state = 'data'
  }

  #takeLength(length: number): void {
    this.#skip = length
    if (length > 0) return
    if (this.#isImage) this.#images += 1
    this.#state = 'block'
  }
}
