import { PartScanner } from './image-scanner.ts'

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
function tableBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Scans a GIF up to its trailer; tables and data are skipped by their length. */
export class GifScanner extends PartScanner {
  #images = 0
  #blocks = 0
  #last = 0

  /** Whether a file with these first bytes is a GIF. */
  static matches(head: Buffer): boolean {
    return /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))
  }

  override push(chunk: Buffer): void {
    this.#last = chunk.at(-1) ?? this.#last
    super.push(chunk)
  }

  /** Damage may hide the trailer, but it is still the last byte of the file. */
  override end(): void {
    if (this.hasEnded && this.#images > 0 && this.#last === TRAILER) this.isComplete = true
  }

  protected *scan(): Generator<number, void, Buffer> {
    const header = yield HEADER_BYTES
    this.size = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
    this.skip(tableBytes(header[10]))
    for (;;) {
      const code = yield* this.#readByte()
      // Some writers pad with zeros between blocks.
      if (code === 0) continue
      this.isComplete = code === TRAILER && this.#images > 0
      if (code !== IMAGE && code !== EXTENSION) return
      const descriptor = code === IMAGE ? yield DESCRIPTOR_BYTES : null
      // The size of the first codes of an image, or the kind of an extension; both are followed by data.
      this.skip(descriptor ? tableBytes(descriptor[8]) + 1 : 1)
      for (let length = yield* this.#readByte(); length > 0; length = yield* this.#readByte()) this.skip(length)
      if (descriptor) this.#images += 1
    }
  }

  /** The code of a block, or the length of its data. */
  *#readByte(): Generator<number, number, Buffer> {
    const byte = (yield 1).readUInt8()
    this.#blocks += 1
    this.hasTooManyParts = this.#blocks > MAX_BLOCKS
    return byte
  }
}
