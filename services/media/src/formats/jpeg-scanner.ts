import type { ImageScanner, ImageSize } from './image-scanner.ts'

const MARKER = 0xff
const SOI = 0xd8
const EOI = 0xd9
export const SOS = 0xda
/** Bytes of a frame header that hold precision, height and width; the number of components follows. */
const FRAME_BYTES = 5
const LOSSLESS_FRAMES = [0xc3, 0xc7, 0xcb, 0xcf]
/** Frames that are not progressive, in the Huffman coding that all cameras use. */
const SEQUENTIAL_FRAMES = [0xc0, 0xc1]

/** Cameras write some hundreds at most, for a depth map. */
export const MAX_SEGMENTS = 10_000

/** A segment of a JPEG from its marker at `start` to `end`. */
export interface JpegSegment {
  code: number
  start: number
  end: number
  data: Buffer
}

/**
 * The segments up to the header of the first scan, as a decoder follows them; bytes between them are skipped. The last one may go
 * beyond the end of the bytes. `MAX_SEGMENTS` of them at most.
 */
export function* jpegSegments(bytes: Buffer): Generator<JpegSegment> {
  let at = 2
  for (let segments = 0; segments < MAX_SEGMENTS; ) {
    const start = bytes.indexOf(MARKER, at)
    let codeAt = start + 1
    // Markers may begin with several of these bytes.
    while (bytes[codeAt] === MARKER) codeAt += 1
    if (start < 0 || codeAt + 3 > bytes.length) return
    const code = bytes.readUInt8(codeAt)
    if (code === SOI || code === EOI) return
    at = codeAt + 1
    // Stuffed zeros, restarts and others without a segment.
    if (code === 0 || code === 1 || (code >= 0xd0 && code < SOI)) continue
    const end = at + Math.max(2, bytes.readUInt16BE(at))
    segments += 1
    yield { code, start, end, data: bytes.subarray(at + 2, end) }
    if (code === SOS) return
    at = end
  }
}

const MAX_SEGMENT_BYTES = 65_533

/** A segment with this content, cut off at what a segment can hold. */
export function encodeSegment(code: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts).subarray(0, MAX_SEGMENT_BYTES)
  const head = Buffer.from([MARKER, code, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** Frame headers are C0 to CF but for the tables C4 and CC and the reserved C8. */
export function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc
}

/** Markers with a segment that may occur between scans; other codes there are damage, which the decoder judges. */
function mayFollowScan(code: number): boolean {
  return code === SOS || code === 0xc4 || (code >= 0xdb && code <= 0xdd) || code >= 0xe0
}

/** Stuffed zeros, restarts, the end, tables, a number of lines, and further scans. */
function isOfScans(code: number): boolean {
  return code === 0 || (code >= 0xd0 && code < SOI) || code === EOI || (mayFollowScan(code) && code < 0xe0)
}

/**
 * Scans a JPEG up to its end marker. Segments are skipped by their length, so that the thumbnail in the metadata is not
 * taken for the image.
 */
export class JpegScanner implements ImageScanner {
  size: ImageSize | null = null
  isComplete = false
  scans = 0
  hasTooManyParts = false
  /** Where the end marker ends; null before it, and without one. */
  endsAt: number | null = null
  /** Whether there is anything but pixels and their tables behind the start of the first scan: metadata, or damage. */
  hasOthersAmongScans = false
  /** Whether it has a isLossless frame, which cameras use for raw images and viewers do not show. */
  isLossless = false
  /**
   * Whether a decoder reads the first scan only, because that has all components of a sequential frame: what follows matters
   * no more but for the end. Null until the first scan begins.
   */
  hasOneScan: boolean | null = null
  #state: 'marker' | 'code' | 'length' | 'segment' = 'marker'
  #code = 0
  #length = 0
  #lengthBytes = 0
  #remaining = 0
  /** First bytes of a segment whose content matters. */
  #head: number[] | null = null
  /** The number of components of a sequential frame. */
  #components = 0
  #position = 0
  #lastTwo = 0
  #segments = 0

  /** Whether a file with these first bytes (at least three) is a JPEG. */
  static matches(head: Buffer): boolean {
    return head[0] === MARKER && head[1] === SOI && head[2] === MARKER
  }

  push(chunk: Buffer): void {
    for (const byte of chunk.subarray(-2)) this.#lastTwo = ((this.#lastTwo << 8) | byte) & 0xffff
    const start = this.#position
    let at = Math.max(0, 2 - start)
    this.#position += chunk.length
    while (at < chunk.length && !this.isComplete && !this.hasTooManyParts) at = this.#step(chunk, at)
    if (this.isComplete) this.endsAt ??= start + at
  }

  /** A damaged scan may hide the end marker, but it is still the last bytes of the file. */
  end(): void {
    if (!this.hasTooManyParts && this.scans > 0 && this.#lastTwo === 0xff00 + EOI) this.isComplete = true
  }

  /** How many of the next bytes are passed over whatever they are: the rest of a segment. */
  get skippable(): number {
    return this.#state === 'segment' && this.#head === null ? this.#remaining : 0
  }

  /** Stands for the next bytes, at most those that are skippable. The last two bytes of the file have to be pushed. */
  skip(bytes: number): void {
    if (bytes === 0) return
    this.#position += bytes
    this.#remaining -= bytes
    if (this.#remaining === 0) this.#state = 'marker'
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'marker') return this.#findMarker(chunk, at)
    if (this.#state === 'segment') return this.#skipSegment(chunk, at)
    const byte = chunk[at] ?? 0
    if (this.#state === 'code') this.#readCode(byte)
    else this.#readLength(byte)
    return at + 1
  }

  #findMarker(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(MARKER, at)
    if (found < 0) return chunk.length
    this.#state = 'code'
    return found + 1
  }

  #readCode(code: number): void {
    if (code === MARKER) return
    this.#state = 'marker'
    if (code === EOI) this.isComplete = this.scans > 0
    if (this.scans > 0 && !isOfScans(code)) this.hasOthersAmongScans = true
    // Stuffed zeros, restarts and a second start have no segment.
    if (code === 0 || code === 1 || (code >= 0xd0 && code <= EOI)) return
    if (this.scans > 0 && !mayFollowScan(code)) return
    // What follows the only scan is not always read.
    if (!this.hasOneScan) this.#segments += 1
    this.hasTooManyParts = this.#segments > MAX_SEGMENTS
    this.#code = code
    this.#length = 0
    this.#lengthBytes = 0
    this.#state = 'length'
  }

  #readLength(byte: number): void {
    this.#length = (this.#length << 8) | byte
    this.#lengthBytes += 1
    if (this.#lengthBytes < 2) return
    this.#remaining = Math.max(0, this.#length - 2)
    const isNewFrame = isFrame(this.#code) && !this.size
    if (isNewFrame) this.isLossless = LOSSLESS_FRAMES.includes(this.#code)
    if (this.#code === SOS) this.scans += 1
    this.#head = isNewFrame || (this.#code === SOS && this.scans === 1) ? [] : null
    this.#state = this.#remaining > 0 ? 'segment' : 'marker'
  }

  #skipSegment(chunk: Buffer, at: number): number {
    const skipped = Math.min(this.#remaining, chunk.length - at)
    if (this.#head) this.#readHead(this.#head, chunk.subarray(at, at + skipped))
    this.#remaining -= skipped
    if (this.#remaining === 0) this.#state = 'marker'
    return at + skipped
  }

  #readHead(head: number[], bytes: Buffer): void {
    head.push(...bytes.subarray(0, FRAME_BYTES + 1 - head.length))
    if (this.#code === SOS) {
      this.hasOneScan = this.#components > 0 && head[0] === this.#components
      this.#head = null
    } else this.#readFrame(head)
  }

  #readFrame(head: number[]): void {
    if (head.length < FRAME_BYTES) return
    const [, heightHigh = 0, heightLow = 0, widthHigh = 0, widthLow = 0, components] = head
    this.size = { width: (widthHigh << 8) | widthLow, height: (heightHigh << 8) | heightLow }
    if (components === undefined) return
    if (SEQUENTIAL_FRAMES.includes(this.#code)) this.#components = components
    this.#head = null
  }
}
