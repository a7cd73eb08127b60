import type { ImageScanner, ImageSize } from './image-scanner.ts'

/** No library decodes a BMP row by row, so larger ones are neither accepted nor decoded. */
export const MAX_BMP_PIXELS = 50_000_000

/** The file header of 14 bytes and the first 24 bytes of the image header. */
const HEADER_BYTES = 38
const OLD_IMAGE_HEADER = 12
const IMAGE_HEADERS = [OLD_IMAGE_HEADER, 16, 40, 52, 56, 64, 108, 124]

/** Scans a BMP: its header says how many bytes the pixels take. */
export class BmpScanner implements ImageScanner {
  size: ImageSize | null = null
  readonly hasTooManyParts = false
  #header = Buffer.alloc(0)
  #expected = Number.POSITIVE_INFINITY
  #received = 0

  /** Whether a file with these first bytes is a BMP. */
  static matches(head: Buffer): boolean {
    if (head.length < 18 || head.toString('latin1', 0, 2) !== 'BM') return false
    return IMAGE_HEADERS.includes(head.readUInt32LE(14))
  }

  get isComplete(): boolean {
    return this.#received >= this.#expected
  }

  push(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.size) return
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, HEADER_BYTES - this.#header.length)])
    if (this.#header.length === HEADER_BYTES) this.#readHeader(this.#header)
  }

  end(): void {}

  #readHeader(header: Buffer): void {
    const isOld = header.readUInt32LE(14) === OLD_IMAGE_HEADER
    const width = isOld ? header.readUInt16LE(18) : header.readInt32LE(18)
    // A negative height means that the first row is the top one.
    const height = isOld ? header.readUInt16LE(20) : Math.abs(header.readInt32LE(22))
    const bits = header.readUInt16LE(isOld ? 24 : 28)
    const compression = isOld ? 0 : header.readUInt32LE(30)
    this.size = { width: Math.max(0, width), height }
    const rowBytes = Math.ceil((this.size.width * bits) / 32) * 4
    // The length of compressed pixels is in the header only.
    const pixelBytes =
      compression === 0 || compression === 3 || compression === 6 ? rowBytes * height : header.readUInt32LE(34)
    this.#expected = header.readUInt32LE(10) + pixelBytes
  }
}
