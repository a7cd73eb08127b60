import type { ByteSource } from './byte-source.ts'

/** Where the first directory stands, and how the file writes its numbers. */
export interface TiffHeader {
  littleEndian: boolean
  /** Counts and offsets of eight bytes. */
  isBigTiff: boolean
  firstDirectory: number
}

/** The values of a tag: where they stand, not what they are. */
interface TagValues {
  /** Bytes of one value. */
  width: number
  count: number
  start: number
}

/** One image of the file: its tags by number, and where the next one is said to be (0: nowhere). */
export interface TiffDirectory {
  tags: Map<number, TagValues>
  next: number
  /** Where the last of its values ends. */
  end: number
}

export const TIFF_HEADER_BYTES = 16
/** Cameras write a hundred tags at most. */
const MAX_TAGS = 4096
/** Bytes of the types, from BYTE on; 14 and 15 do not exist. */
const WIDTHS = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

/** Reads the first bytes of a file; null when they are not a TIFF's or a BigTIFF's. */
export function readTiffHeader(head: Buffer): TiffHeader | null {
  if (head.length < 8) return null
  const order = head.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return null
  const littleEndian = order === 'II'
  const magic = readUint(head, 2, 2, littleEndian)
  if (magic === 42) return { littleEndian, isBigTiff: false, firstDirectory: readUint(head, 4, 4, littleEndian) }
  const isBig = magic === 43 && head.length >= TIFF_HEADER_BYTES && readUint(head, 4, 2, littleEndian) === 8
  return isBig ? { littleEndian, isBigTiff: true, firstDirectory: readUint(head, 8, 8, littleEndian) } : null
}

/** An unsigned integer of 1, 2, 4 or 8 bytes; one of 8 may be inexact above 2^53, which lies beyond any file. */
export function readUint(bytes: Buffer, at: number, width: number, littleEndian: boolean): number {
  if (width === 8) return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return littleEndian ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
}

/** Reads the directory at `start`; null when it does not lie in the file or is no directory. */
export async function readTiffDirectory(
  source: ByteSource,
  { littleEndian, isBigTiff }: TiffHeader,
  start: number,
): Promise<TiffDirectory | null> {
  const [countBytes, tagBytes, offsetBytes] = isBigTiff ? [8, 20, 8] : [2, 12, 4]
  const head = await source.read(start, countBytes)
  if (head.length < countBytes) return null
  const count = readUint(head, 0, countBytes, littleEndian)
  if (count === 0 || count > MAX_TAGS) return null
  const body = await source.read(start + countBytes, count * tagBytes + offsetBytes)
  if (body.length < count * tagBytes + offsetBytes) return null

  const tags = new Map<number, TagValues>()
  let end = start
  for (let at = 0; at < count * tagBytes; at += tagBytes) {
    const width = WIDTHS[readUint(body, at + 2, 2, littleEndian)] ?? 0
    const values = readUint(body, at + 4, offsetBytes, littleEndian)
    if (width * values === 0) continue
    const place = at + 4 + offsetBytes
    const inline = width * values <= offsetBytes
    const standsAt = inline ? start + countBytes + place : readUint(body, place, offsetBytes, littleEndian)
    tags.set(readUint(body, at, 2, littleEndian), { width, count: values, start: standsAt })
    end = Math.max(end, standsAt + width * values)
  }
  return { tags, next: readUint(body, count * tagBytes, offsetBytes, littleEndian), end }
}

/** Up to `limit` values of a tag that holds whole numbers, from the `from`th on: none when it has no such tag, fewer where the file ends. */
export async function readTagIntegers(
  source: ByteSource,
  { littleEndian }: TiffHeader,
  { tags }: TiffDirectory,
  tag: number,
  limit: number,
  from = 0,
): Promise<number[]> {
  const values = tags.get(tag)
  if (!values) return []
  const { width, count, start } = values
  const wanted = Math.max(0, Math.min(limit, count - from))
  const bytes = await source.read(start + from * width, wanted * width)
  const found = Math.floor(bytes.length / width)
  return Array.from({ length: found }, (_, index) => readUint(bytes, index * width, width, littleEndian))
}
