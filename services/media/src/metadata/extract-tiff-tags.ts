import { type ByteSource, blockSource, bufferSource, ReadLimitError } from '../formats/byte-source.ts'
import { readTiffHeader, TIFF_HEADER_BYTES, type TiffHeader } from '../formats/tiff-directory.ts'
import { isSafeProfile } from './icc-profile.ts'
import { xmpToUtf8 } from './xmp-encoding.ts'

interface Tag {
  tag: number
  type: number
  count: number
  bytes: Buffer
}

const EXIF = 34665
const GPS = 34853
const INTEROP = 40965
const XMP = 700
const PROFILE = 34675
/** Tags that hold the place of another directory. */
const POINTERS = [EXIF, GPS, INTEROP]
/** Which directories stand below which: below the first one, EXIF and GPS. */
const BELOW_FIRST = [EXIF, GPS]
const BELOW: Record<number, number[]> = { [EXIF]: [INTEROP] }
/** Places of pixels and of further pages, which are not taken along, and notes of the maker, which nobody reads. */
const LEFT_OUT = [330, 513, 514, 37500]
const BYTE = 1
const LONG = 4
const TAG_BYTES = 12
/** Bytes of a value by type. */
const WIDTHS = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** The types from here on are BigTIFF's own: only places are written in them. */
const BIG_TYPES = 14
const MAX_TAGS = 4096
/** Longer values are notes of the maker and places of pixels. */
const MAX_VALUE_BYTES = 4096
const MAX_XMP_BYTES = 1024 * 1024
/** Of all tags together: thousands of them may name the same bytes. */
const MAX_BYTES = MAX_XMP_BYTES + 256 * 1024
/** What fits into a segment of a JPEG, with some room for what is written around the tags. */
const MAX_EXIF_BYTES = 63 * 1024
const FIRST_AT = 8
/** Blocks of 64 KB. */
const MAX_BLOCKS = 200

/** What is read of a file. */
interface Reading {
  source: ByteSource
  layout: TiffHeader
  /** Bytes that may still be taken along. */
  left: number
}

/** The tags of a directory, and by the tags that hold their places the directories below it. */
interface Directory {
  tags: Tag[]
  below: [pointer: number, Directory][]
}

/** The tags of the directory at `start` with their values and the place of the next directory; what does not lie in the file is missing. */
async function readTags(reading: Reading, start: number): Promise<{ tags: Tag[]; next: number }> {
  const { source, layout } = reading
  const { littleEndian, isBigTiff } = layout
  const short = (bytes: Buffer, at: number) => (littleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const offset = (bytes: Buffer, at: number) => {
    if (isBigTiff) return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
    return littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  }
  const [countBytes, tagBytes, offsetBytes] = isBigTiff ? [8, 20, 8] : [2, 12, 4]
  const head = await source.read(start, countBytes)
  if (head.length < countBytes) return { tags: [], next: 0 }
  const count = Math.min(isBigTiff ? offset(head, 0) : short(head, 0), MAX_TAGS)
  const body = await source.read(start + countBytes, count * tagBytes + offsetBytes)
  const table = body.subarray(0, count * tagBytes)

  const tags: Tag[] = []
  for (let at = 0; at + tagBytes <= table.length; at += tagBytes) {
    const [tag, type, values] = [short(table, at), short(table, at + 2), offset(table, at + 4)]
    const length = values * (WIDTHS[type] ?? 0)
    if (length === 0 || length > (tag === XMP ? MAX_XMP_BYTES : MAX_VALUE_BYTES) || LEFT_OUT.includes(tag)) continue
    const cost = TAG_BYTES + length + (length % 2)
    if (cost > reading.left) continue
    reading.left -= cost
    const place = at + 4 + offsetBytes
    const bytes =
      length <= offsetBytes ? table.subarray(place, place + length) : await source.read(offset(table, place), length)
    if (bytes.length === length) tags.push({ tag, type, count: values, bytes })
  }
  return { tags, next: body.length > table.length ? offset(body, table.length) : 0 }
}

/** Bytes that `writeTags` needs. */
function sizeOf(tags: Tag[]): number {
  const values = tags.reduce((sum, { bytes }) => sum + (bytes.length > 4 ? bytes.length + (bytes.length % 2) : 0), 0)
  return 2 + tags.length * TAG_BYTES + 4 + values
}

/** A directory for the place `start`, with no next one, and its values behind it. */
function writeTags(tags: Tag[], start: number, littleEndian: boolean): Buffer {
  const written = Buffer.alloc(sizeOf(tags))
  const short = (value: number, at: number) =>
    littleEndian ? written.writeUInt16LE(value, at) : written.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    littleEndian ? written.writeUInt32LE(value, at) : written.writeUInt32BE(value, at)
  let valuesAt = 2 + tags.length * TAG_BYTES + 4
  short(tags.length, 0)
  for (const [index, { tag, type, count, bytes }] of tags.entries()) {
    const at = 2 + index * TAG_BYTES
    short(tag, at)
    short(type, at + 2)
    long(count, at + 4)
    if (bytes.length <= 4) {
      bytes.copy(written, at + 8)
      continue
    }
    long(start + valuesAt, at + 8)
    bytes.copy(written, valuesAt)
    valuesAt += bytes.length + (bytes.length % 2)
  }
  return written
}

function long(value: number, littleEndian: boolean): Buffer {
  const bytes = Buffer.alloc(4)
  if (littleEndian) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}

/** The place that a tag names: the first bytes of the file, which are no directory, when it names none. */
function placeIn(bytes: Buffer, littleEndian: boolean): number {
  if (bytes.length === 8) return Number(littleEndian ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE())
  if (bytes.length !== 4) return 0
  return littleEndian ? bytes.readUInt32LE() : bytes.readUInt32BE()
}

/** What stands in a directory itself: XMP in UTF-8, no places of other directories, no types of BigTIFF, no unsound profile. */
function kept(tags: Tag[]): Tag[] {
  return tags
    .filter(({ tag, type }) => !POINTERS.includes(tag) && type < BIG_TYPES)
    .filter(({ tag, bytes }) => tag !== PROFILE || isSafeProfile(bytes))
    .map((found) => {
      if (found.tag !== XMP) return found
      const bytes = xmpToUtf8(found.bytes)
      return { tag: XMP, type: BYTE, count: bytes.length, bytes }
    })
}

async function readDirectory(reading: Reading, start: number, pointers: number[]): Promise<[Directory, number]> {
  const { tags, next } = await readTags(reading, start)
  const below: Directory['below'] = []
  for (const pointer of pointers) {
    const found = tags.find(({ tag }) => tag === pointer)
    if (!found) continue
    const place = placeIn(found.bytes, reading.layout.littleEndian)
    const [directory] = await readDirectory(reading, place, BELOW[pointer] ?? [])
    below.push([pointer, directory])
  }
  return [{ tags: kept(tags), below }, next]
}

/** A directory for the place `start`, and behind it those below it. */
function writeDirectory({ tags, below }: Directory, start: number, littleEndian: boolean): Buffer {
  const pointers: Tag[] = below.map(([tag]) => ({ tag, type: LONG, count: 1, bytes: Buffer.alloc(4) }))
  let at = start + sizeOf([...tags, ...pointers])
  const parts: Buffer[] = []
  for (const [index, [tag, directory]] of below.entries()) {
    pointers[index] = { tag, type: LONG, count: 1, bytes: long(at, littleEndian) }
    const written = writeDirectory(directory, at, littleEndian)
    parts.push(written)
    at += written.length
  }
  return Buffer.concat([writeTags([...tags, ...pointers], start, littleEndian), ...parts])
}

async function gather(source: ByteSource, maxBytes: number, withSecond: boolean): Promise<Buffer> {
  const layout = readTiffHeader(await source.read(0, TIFF_HEADER_BYTES))
  if (!layout) return Buffer.alloc(0)
  const { littleEndian } = layout
  const reading = { source, layout, left: maxBytes }
  const [first, next] = await readDirectory(reading, layout.firstDirectory, BELOW_FIRST)
  const order = littleEndian ? 'II*\0' : 'MM\0*'
  const header = Buffer.concat([Buffer.from(order, 'latin1'), long(FIRST_AT, littleEndian)])
  const written = writeDirectory(first, FIRST_AT, littleEndian)
  if (!withSecond || next === 0) return Buffer.concat([header, written])
  const [second] = await readDirectory(reading, next, [])
  const secondAt = FIRST_AT + written.length
  const nextAt = 2 + (first.tags.length + first.below.length) * TAG_BYTES
  long(secondAt, littleEndian).copy(written, nextAt)
  return Buffer.concat([header, written, writeDirectory(second, secondAt, littleEndian)])
}

/**
 * EXIF with the tags of all its directories, each value standing once and all of them bounded, whatever the entries
 * say. Empty when the bytes are no EXIF.
 */
export async function rewriteExif(exif: Buffer): Promise<Buffer> {
  return gather(bufferSource(exif), MAX_EXIF_BYTES, true)
}

/**
 * A TIFF without pixels that holds the tags of the file's first page or DNG, its EXIF and its GPS: they may stand
 * anywhere in a file of 150 MB, and the parser wants them together. Empty when the bytes are no TIFF.
 */
export async function extractTiffTags(source: ByteSource): Promise<Buffer> {
  try {
    return await gather(blockSource(source, MAX_BLOCKS), MAX_BYTES, false)
  } catch (error) {
    if (error instanceof ReadLimitError) return Buffer.alloc(0)
    throw error
  }
}
