import { crc32 } from 'node:zlib'
import { PartScanner } from './image-scanner.ts'

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Length and type; the data of a chunk is followed by a checksum of 4 bytes. */
export const CHUNK_HEAD_BYTES = 8
export const CHECKSUM_BYTES = 4
/** Width and height, at the start of the first chunk, IHDR. */
const SIZE_BYTES = 8

/** More than any accepted PNG has: pixels are in chunks of some kilobytes. */
export const MAX_CHUNKS = 100_000

/** A chunk with this data. */
export function encodeChunk(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), ...parts])
  const frame = Buffer.alloc(4 + CHECKSUM_BYTES)
  frame.writeUInt32BE(content.length - 4, 0)
  frame.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)])
}

/** Scans a PNG up to the end of IEND; chunks are skipped by their length. */
export class PngScanner extends PartScanner {
  /** Whether a file with these first bytes is a PNG. */
  static matches(head: Buffer): boolean {
    return head.subarray(0, SIGNATURE.length).equals(SIGNATURE)
  }

  protected *scan(): Generator<number, void, Buffer> {
    yield SIGNATURE.length
    let hasData = false
    for (let chunks = 1; ; chunks += 1) {
      const head = yield CHUNK_HEAD_BYTES
      this.hasTooManyParts = chunks > MAX_CHUNKS
      const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4)]
      hasData ||= type === 'IDAT' && length > 0
      if (this.size) this.skip(length + CHECKSUM_BYTES)
      else {
        if (type !== 'IHDR' || length < SIZE_BYTES) return
        const size = yield SIZE_BYTES
        this.size = { width: size.readUInt32BE(0), height: size.readUInt32BE(4) }
        this.skip(length - SIZE_BYTES + CHECKSUM_BYTES)
      }
      if (type === 'IEND') break
    }
    yield 0
    this.isComplete = hasData
  }
}
