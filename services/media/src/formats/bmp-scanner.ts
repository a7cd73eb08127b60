import type { ImageScanner, ImageSize } from './image-scanner.ts'

/** No library decodes a BMP piece by piece: larger ones are neither taken nor decoded. */
export const MAX_BMP_PIXELS = 50_000_000

/** A file header of 14 bytes, then that of the picture: its first 24 bytes tell all that is needed. */
const HEADER_BYTES = 38
const OLD_PICTURE_HEADER = 12
const PICTURE_HEADERS = [OLD_PICTURE_HEADER, 16, 40, 52, 56, 64, 108, 124]

/** Reads a BMP as it passes by: its header says how many bytes the pixels take. */
export class BmpScanner implements ImageScanner {
  size: ImageSize | null = null
  #header = Buffer.alloc(0)
  #needed = Number.POSITIVE_INFINITY
  #passed = 0

  /** Whether these first bytes are a BMP's. */
  static matches(head: Buffer): boolean {
    if (head.length < 18 || head.toString('latin1', 0, 2) !== 'BM') return false
    return PICTURE_HEADERS.includes(head.readUInt32LE(14))
  }

  get complete(): boolean {
    return this.#passed >= this.#needed
  }

  push(chunk: Buffer): void {
    this.#passed += chunk.length
    if (this.size) return
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, HEADER_BYTES - this.#header.length)])
    if (this.#header.length === HEADER_BYTES) this.#takeHeader(this.#header)
  }

  end(): void {}

  #takeHeader(header: Buffer): void {
    const old = header.readUInt32LE(14) === OLD_PICTURE_HEADER
    const width = old ? header.readUInt16LE(18) : header.readInt32LE(18)
    // A negative height says that the rows begin at the top.
    const height = old ? header.readUInt16LE(20) : Math.abs(header.readInt32LE(22))
    const bits = header.readUInt16LE(old ? 24 : 28)
    const compression = old ? 0 : header.readUInt32LE(30)
    this.size = { width: Math.max(0, width), height }
    const rowBytes = Math.ceil((this.size.width * bits) / 32) * 4
    // How long compressed pixels are, the header says, or nobody.
    const pixelBytes =
      compression === 0 || compression === 3 || compression === 6 ? rowBytes * height : header.readUInt32LE(34)
    this.#needed = header.readUInt32LE(10) + pixelBytes
  }
}
