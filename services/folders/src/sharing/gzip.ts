import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'

/** The beginning of a gzip member, compressed once; each answer adds its own end. */
export interface GzipBeginning {
  /** Header and compressed blocks, ending at a byte's border. */
  head: Buffer
  crc: number
  /** Of the uncompressed text. */
  bytes: number
}

// No name, no time, unknown system: the same text gives the same bytes.
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const LAST_STORED_BLOCK = 1
const MAX_STORED = 0xffff
const compress = promisify(deflateRaw)

/** Compresses the beginning of texts that differ only at their ends. */
export async function gzipBeginning(plain: Buffer): Promise<GzipBeginning> {
  const blocks = await compress(plain, { finishFlush: constants.Z_FULL_FLUSH })
  return { head: Buffer.concat([HEADER, blocks]), crc: crc32(plain), bytes: plain.length }
}

/**
 * The whole text as one gzip member, in parts; browsers read no second one. The end is stored as it is, so nothing is compressed
 * for an answer. It may have 65,535 bytes.
 */
export function gzipWithEnd({ head, crc, bytes }: GzipBeginning, end: string): Buffer[] {
  const plain = Buffer.from(end)
  if (plain.length > MAX_STORED) throw new RangeError('The end is too long for one stored block')
  const block = Buffer.alloc(5)
  block.writeUInt8(LAST_STORED_BLOCK, 0)
  block.writeUInt16LE(plain.length, 1)
  block.writeUInt16LE(MAX_STORED - plain.length, 3)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(plain, crc), 0)
  trailer.writeUInt32LE((bytes + plain.length) % 2 ** 32, 4)
  return [head, Buffer.concat([block, plain, trailer])]
}

/** Whether an Accept-Encoding header allows gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const choices = String(header ?? '').split(',')
  return choices.some((choice) => /^\s*(gzip|x-gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$)[\d.]+)?\s*$/i.test(choice))
}
