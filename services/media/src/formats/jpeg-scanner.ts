import type { ImageScanner, ImageSize } from './image-scanner.ts'

const MARKER = 0xff
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
/** Bytes of a frame header that hold precision, height and width. */
const FRAME_BYTES = 5
const LOSSLESS_FRAMES = [0xc3, 0xc7, 0xcb, 0xcf]

/** Frame headers are C0 to CF but for the tables C4 and CC and the reserved C8. */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc
}

/** Markers with a segment that may stand between scans; other codes in there are damage, which the decoder judges. */
function mayFollowScan(code: number): boolean {
  return code === SOS || code === 0xc4 || (code >= 0xdb && code <= 0xdd) || code >= 0xe0
}

/**
 * Reads the structure of a JPEG as its bytes pass by, without keeping them: size in pixels, and whether its end came.
 * Segments are skipped by their length, so that the thumbnail in the metadata does not pass for the picture.
 */
export class JpegScanner implements ImageScanner {
  size: ImageSize | null = null
  complete = false
  /** Of the kinds that cameras use for raw images and nothing shows. */
  lossless = false
  #state: 'marker' | 'code' | 'length' | 'segment' = 'marker'
  #code = 0
  #length = 0
  #lengthBytes = 0
  #remaining = 0
  #frame: number[] | null = null
  #scans = 0
  #position = 0
  #lastTwo = 0

  /** Whether these first bytes (at least three) are a JPEG's. */
  static matches(head: Buffer): boolean {
    return head[0] === MARKER && head[1] === SOI && head[2] === MARKER
  }

  push(chunk: Buffer): void {
    for (const byte of chunk.subarray(-2)) this.#lastTwo = ((this.#lastTwo << 8) | byte) & 0xffff
    let at = Math.max(0, 2 - this.#position)
    this.#position += chunk.length
    while (at < chunk.length && !this.complete) at = this.#step(chunk, at)
  }

  /** A damaged scan may hide the end marker, but then it is still the file's last. */
  end(): void {
    if (this.#scans > 0 && this.#lastTwo === 0xff00 + EOI) this.complete = true
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'marker') return this.#findMarker(chunk, at)
    if (this.#state === 'segment') return this.#passSegment(chunk, at)
    const byte = chunk[at] ?? 0
    if (this.#state === 'code') this.#takeCode(byte)
    else this.#takeLength(byte)
    return at + 1
  }

  #findMarker(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(MARKER, at)
    if (found < 0) return chunk.length
    this.#state = 'code'
    return found + 1
  }

  #takeCode(code: number): void {
    if (code === MARKER) return
    this.#state = 'marker'
    if (code === EOI) this.complete = this.#scans > 0
    // Stuffed zeros, restarts and a second start carry no segment.
    if (code === 0 || code === 1 || (code >= 0xd0 && code <= EOI)) return
    if (this.#scans > 0 && !mayFollowScan(code)) return
    this.#code = code
    this.#length = 0
    this.#lengthBytes = 0
    this.#state = 'length'
  }

  #takeLength(byte: number): void {
    this.#length = (this.#length << 8) | byte
    this.#lengthBytes += 1
    if (this.#lengthBytes < 2) return
    this.#remaining = Math.max(0, this.#length - 2)
    this.#frame = isFrame(this.#code) && !this.size ? [] : null
    if (this.#frame) this.lossless = LOSSLESS_FRAMES.includes(this.#code)
    if (this.#code === SOS) this.#scans += 1
    this.#state = this.#remaining > 0 ? 'segment' : 'marker'
  }

  #passSegment(chunk: Buffer, at: number): number {
    const passed = Math.min(this.#remaining, chunk.length - at)
    if (this.#frame) this.#takeFrame(this.#frame, chunk.subarray(at, at + passed))
    this.#remaining -= passed
    if (this.#remaining === 0) this.#state = 'marker'
    return at + passed
  }

  #takeFrame(frame: number[], bytes: Buffer): void {
    frame.push(...bytes.subarray(0, FRAME_BYTES - frame.length))
    if (frame.length < FRAME_BYTES) return
    const [, high = 0, low = 0, wideHigh = 0, wideLow = 0] = frame
    this.size = { width: (wideHigh << 8) | wideLow, height: (high << 8) | low }
    this.#frame = null
  }
}
