import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'

/** The common prefix of responses as the start of a gzip member, compressed once; each response appends its suffix. */
export interface GzipPrefix {
  /** Header and compressed blocks, up to a byte boundary. */
  head: Buffer
  crc: number
  /** Length of the uncompressed prefix. */
  bytes: number
}

// No file name, no time, unknown operating system: equal texts have equal bytes.
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const LAST_STORED_BLOCK = 1
const MAX_STORED = 0xffff
const compress = promisify(deflateRaw)

/** Compresses the common prefix of texts that differ only in their suffix. */
export async function gzipPrefix(plain: Buffer): Promise<GzipPrefix> {
  const blocks = await compress(plain, { finishFlush: constants.Z_FULL_FLUSH })
  return { head: Buffer.concat([HEADER, blocks]), crc: crc32(plain), bytes: plain.length }
}

/**
 * The whole text as one gzip member, in parts; browsers read no second member. The suffix is stored uncompressed, so a
 * response costs no compression. It may have up to 65,535 bytes.
 */
export function gzipWithSuffix({ head, crc, bytes }: GzipPrefix, suffix: string): Buffer[] {
  const plain = Buffer.from(suffix)
  if (plain.length > MAX_STORED) throw new RangeError('suffix too long for one stored block')
  const block = Buffer.alloc(5)
  block.writeUInt8(LAST_STORED_BLOCK, 0)
  block.writeUInt16LE(plain.length, 1)
  block.writeUInt16LE(MAX_STORED - plain.length, 3)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(plain, crc), 0)
  trailer.writeUInt32LE((bytes + plain.length) % 2 ** 32, 4)
  return [head, Buffer.concat([block, plain, trailer])]
}
