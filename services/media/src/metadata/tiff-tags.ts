import { type ByteSource, inBlocks, ReadsExhausted } from '../formats/byte-source.ts'
import { readLayout, TIFF_HEADER_BYTES, type TiffLayout } from '../formats/tiff-directory.ts'

interface Tag {
  tag: number
  type: number
  count: number
  bytes: Buffer
}

const EXIF = 34665
const GPS = 34853
const XMP = 700
/** Places of further directories and of pixels, which are not taken along: SubIFDs, JPEG previews, interoperability. */
const LEFT_OUT = [330, 513, 514, 40965]
const LONG = 4
/** Bytes of a value by type. */
const WIDTHS = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** The types from here on are BigTIFF's own: only places are written in them. */
const BIG_TYPES = 14
const MAX_TAGS = 4096
/** Longer values are notes of the maker and places of pixels. */
const MAX_VALUE_BYTES = 4096
const MAX_XMP_BYTES = 1024 * 1024
/** Blocks of 64 KB. */
const MAX_BLOCKS = 200

/** The tags of the directory at `start` with their values; what does not lie in the file is missing. */
async function readTags(source: ByteSource, { littleEndian, big }: TiffLayout, start: number): Promise<Tag[]> {
  const short = (bytes: Buffer, at: number) => (littleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const offset = (bytes: Buffer, at: number) => {
    if (big) return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
    return littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  }
  const [countBytes, tagBytes, offsetBytes] = big ? [8, 20, 8] : [2, 12, 4]
  const head = await source.read(start, countBytes)
  if (head.length < countBytes) return []
  const count = Math.min(big ? offset(head, 0) : short(head, 0), MAX_TAGS)
  const table = await source.read(start + countBytes, count * tagBytes)

  const tags: Tag[] = []
  for (let at = 0; at + tagBytes <= table.length; at += tagBytes) {
    const [tag, type, values] = [short(table, at), short(table, at + 2), offset(table, at + 4)]
    const length = values * (WIDTHS[type] ?? 0)
    if (length === 0 || length > (tag === XMP ? MAX_XMP_BYTES : MAX_VALUE_BYTES) || LEFT_OUT.includes(tag)) continue
    const place = at + 4 + offsetBytes
    const bytes =
      length <= offsetBytes ? table.subarray(place, place + length) : await source.read(offset(table, place), length)
    if (bytes.length === length) tags.push({ tag, type, count: values, bytes })
  }
  return tags
}

/** Bytes that `writeTags` needs. */
function sizeOf(tags: Tag[]): number {
  const values = tags.reduce((sum, { bytes }) => sum + (bytes.length > 4 ? bytes.length + (bytes.length % 2) : 0), 0)
  return 2 + tags.length * 12 + 4 + values
}

/** A directory for the place `start`, with no next one, and its values behind it. */
function writeTags(tags: Tag[], start: number, littleEndian: boolean): Buffer {
  const written = Buffer.alloc(sizeOf(tags))
  const short = (value: number, at: number) =>
    littleEndian ? written.writeUInt16LE(value, at) : written.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    littleEndian ? written.writeUInt32LE(value, at) : written.writeUInt32BE(value, at)
  let valuesAt = 2 + tags.length * 12 + 4
  short(tags.length, 0)
  for (const [index, { tag, type, count, bytes }] of tags.entries()) {
    const at = 2 + index * 12
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

function withoutPlaces(tags: Tag[]): Tag[] {
  return tags.filter(({ tag, type }) => tag !== EXIF && tag !== GPS && type < BIG_TYPES)
}

async function gather(source: ByteSource): Promise<Buffer> {
  const layout = readLayout(await source.read(0, TIFF_HEADER_BYTES))
  if (!layout) return Buffer.alloc(0)
  const { littleEndian } = layout
  const first = await readTags(source, layout, layout.first)
  const parts: [number, Tag[]][] = []
  for (const pointer of [EXIF, GPS]) {
    const found = first.find(({ tag }) => tag === pointer)
    if (found) parts.push([pointer, withoutPlaces(await readTags(source, layout, placeIn(found.bytes, littleEndian)))])
  }

  const kept = withoutPlaces(first)
  const pointers: Tag[] = parts.map(([tag]) => ({ tag, type: LONG, count: 1, bytes: Buffer.alloc(4) }))
  let at = 8 + sizeOf([...kept, ...pointers])
  const below: Buffer[] = []
  for (const [index, [tag, tags]] of parts.entries()) {
    pointers[index] = { tag, type: LONG, count: 1, bytes: long(at, littleEndian) }
    const written = writeTags(tags, at, littleEndian)
    below.push(written)
    at += written.length
  }
  const order = littleEndian ? 'II*\0' : 'MM\0*'
  const header = Buffer.concat([Buffer.from(order, 'latin1'), long(8, littleEndian)])
  return Buffer.concat([header, writeTags([...kept, ...pointers], 8, littleEndian), ...below])
}

/**
 * A TIFF without pixels that holds the tags of the file's first page or DNG, its EXIF and its GPS: they may stand
 * anywhere in a file of 150 MB, and the parser wants them together. Empty when the bytes are no TIFF.
 */
export async function tiffTags(source: ByteSource): Promise<Buffer> {
  try {
    return await gather(inBlocks(source, MAX_BLOCKS))
  } catch (error) {
    if (error instanceof ReadsExhausted) return Buffer.alloc(0)
    throw error
  }
}
