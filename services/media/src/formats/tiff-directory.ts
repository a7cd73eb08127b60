import type { ByteSource } from './byte-source.ts'

/** Position of the first directory, and how the file encodes numbers. */
export interface TiffHeader {
  littleEndian: boolean
  /** Counts and offsets have eight bytes. */
  isBigTiff: boolean
  firstDirectory: number
}

/** One tag of a directory, with the position of its values. */
export interface TiffEntry {
  tag: number
  type: number
  /** Number of values. */
  count: number
  /** Bytes of one value; 0 for an unknown type. */
  valueBytes: number
  /** Offset of the first value in the file. */
  valuesAt: number
  /** The entry itself, as in the file. */
  raw: Buffer
}

export interface TiffDirectory {
  /** In file order; those beyond the end of the file or above the limit are missing. */
  entries: TiffEntry[]
  /** Whether the directory has entries and none of them is missing. */
  isWhole: boolean
  /** Offset of the next directory, 0 after the last one; null when the file ends before it. */
  next: number | null
}

export const TIFF_HEADER_BYTES = 16
/** As in libtiff; cameras write a hundred tags at most. */
const MAX_ENTRIES = 4096
/** Bytes of a value by type, from BYTE (1) on; types 14 and 15 do not exist. */
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

/** Reads the first bytes of a file; null when it is neither TIFF nor BigTIFF. */
export function readTiffHeader(head: Buffer): TiffHeader | null {
  if (head.length < 8) return null
  const order = head.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return null
  const littleEndian = order === 'II'
  const magic = readUint(head, 2, 2, littleEndian)
  if (magic === 42) return { littleEndian, isBigTiff: false, firstDirectory: readUint(head, 4, 4, littleEndian) }
  const isBigTiff = magic === 43 && head.length >= TIFF_HEADER_BYTES && readUint(head, 4, 2, littleEndian) === 8
  return isBigTiff ? { littleEndian, isBigTiff, firstDirectory: readUint(head, 8, 8, littleEndian) } : null
}

/** Sizes in bytes of the fields of a directory. */
export function fieldSizes({ isBigTiff }: TiffHeader): { count: number; entry: number; offset: number } {
  return isBigTiff ? { count: 8, entry: 20, offset: 8 } : { count: 2, entry: 12, offset: 4 }
}

/** An unsigned integer of 1, 2, 4 or 8 bytes; inexact above 2^53, which is beyond the end of any file. */
export function readUint(bytes: Buffer, at: number, width: number, littleEndian: boolean): number {
  if (width === 8) return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return littleEndian ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
}

/** An unsigned integer as 1, 2, 4 or 8 bytes. */
export function encodeUint(value: number, width: number, littleEndian: boolean): Buffer {
  const bytes = Buffer.alloc(width)
  if (width === 8 && littleEndian) bytes.writeBigUInt64LE(BigInt(value))
  else if (width === 8) bytes.writeBigUInt64BE(BigInt(value))
  else if (littleEndian) bytes.writeUIntLE(value, 0, width)
  else bytes.writeUIntBE(value, 0, width)
  return bytes
}

/** Reads the directory at `start`, in two reads of bounded size whatever its bytes say. @throws only what `source` throws */
export async function readTiffDirectory(source: ByteSource, header: TiffHeader, start: number): Promise<TiffDirectory> {
  const size = fieldSizes(header)
  const head = await source.read(start, size.count)
  if (head.length < size.count) return { entries: [], isWhole: false, next: null }
  const declared = readUint(head, 0, size.count, header.littleEndian)
  const tableAt = start + size.count
  const tableBytes = Math.min(declared, MAX_ENTRIES) * size.entry
  const body = await source.read(tableAt, tableBytes + size.offset)

  const entries: TiffEntry[] = []
  for (let at = 0; at < tableBytes && at + size.entry <= body.length; at += size.entry)
    entries.push(readEntry(body.subarray(at, at + size.entry), tableAt + at, header))
  const isWhole = declared > 0 && entries.length === declared
  const hasNext = entries.length === declared && body.length === tableBytes + size.offset
  return { entries, isWhole, next: hasNext ? readUint(body, tableBytes, size.offset, header.littleEndian) : null }
}

function readEntry(raw: Buffer, at: number, header: TiffHeader): TiffEntry {
  const { littleEndian } = header
  const { offset } = fieldSizes(header)
  const type = readUint(raw, 2, 2, littleEndian)
  const count = readUint(raw, 4, offset, littleEndian)
  const valueBytes = VALUE_BYTES[type] ?? 0
  const field = 4 + offset
  // Values that fit into the field of the offset take its place.
  const valuesAt = valueBytes * count <= offset ? at + field : readUint(raw, field, offset, littleEndian)
  return { tag: readUint(raw, 0, 2, littleEndian), type, count, valueBytes, valuesAt, raw }
}

/** The first entry of a tag that has values, which is the one that libtiff uses. */
export function findEntry({ entries }: TiffDirectory, tag: number): TiffEntry | undefined {
  return entries.find((entry) => entry.tag === tag && entry.valueBytes * entry.count > 0)
}

/** Up to `limit` values of a tag of integers, starting with number `from`; none without the tag, fewer at the end of the file. */
export async function readTagIntegers(
  source: ByteSource,
  { littleEndian }: TiffHeader,
  directory: TiffDirectory,
  tag: number,
  limit: number,
  from = 0,
): Promise<number[]> {
  const entry = findEntry(directory, tag)
  if (!entry) return []
  const { valueBytes, count, valuesAt } = entry
  const requested = Math.max(0, Math.min(limit, count - from))
  const bytes = await source.read(valuesAt + from * valueBytes, requested * valueBytes)
  const found = Math.floor(bytes.length / valueBytes)
  return Array.from({ length: found }, (_, index) => readUint(bytes, index * valueBytes, valueBytes, littleEndian))
}
