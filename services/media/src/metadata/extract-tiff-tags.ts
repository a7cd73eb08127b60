import { type ByteSource, bufferSource, limitedSource, withinLimit } from '../formats/byte-source.ts'
import {
  encodeUint,
  fieldSizes,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  readUint,
  TIFF_HEADER_BYTES,
  type TiffEntry,
  type TiffHeader,
} from '../formats/tiff-directory.ts'
import {
  type Directory,
  ENTRY_BYTES,
  encodeDirectory,
  encodeTiffHead,
  FIRST_DIRECTORY_AT,
  type Tag,
} from '../formats/tiff-encoder.ts'

const EXIF = 34665
const GPS = 34853
const INTEROP = 40965
const XMP = 700
const PROFILE = 34675
/** Tags whose value is the offset of another directory. */
const POINTERS = [EXIF, GPS, INTEROP]
/** The directories that are read below the first one, and below others. */
const BELOW_FIRST = [EXIF, GPS]
const BELOW: Record<number, number[]> = { [EXIF]: [INTEROP] }
/** Further pictures of the same photo: the raw one of a DNG, previews. */
const SUB_DIRECTORIES = 330
const MAX_SUB_DIRECTORIES = 8
/** Offsets of pixels and of further pages, which are not copied, and the maker note, which nobody reads. */
const OMITTED = [330, 513, 514, 37500]
const BYTE = 1
/** The types from here on exist in BigTIFF only, where they are used for offsets. */
const BIG_TYPES = 14
/** Longer values are maker notes and offsets of pixels. */
const MAX_VALUE_BYTES = 4096
const MAX_XMP_BYTES = 1024 * 1024
/** For all tags together: thousands of them may refer to the same bytes. */
const MAX_BYTES = MAX_XMP_BYTES + 256 * 1024
/** What fits into a JPEG segment, with some room for the directories around the values. */
const MAX_EXIF_BYTES = 63 * 1024

/** A file that is read. */
interface Reading {
  source: ByteSource
  header: TiffHeader
  /** Bytes that may still be copied. */
  remaining: number
}

/**
 * A TIFF without pixels that holds the tags of the first page (or of the DNG), its EXIF and its GPS: they may be
 * anywhere in a file of 150 MB, and the parser needs them together. Empty when the bytes are no TIFF.
 */
export async function extractTiffTags(source: ByteSource): Promise<Buffer> {
  return withinLimit(rewrite(limitedSource(source), MAX_BYTES, { withSecond: false }), Buffer.alloc(0))
}

/**
 * EXIF with the tags of all its directories, each value written once and the total size bounded, whatever the entries
 * say. Empty when the bytes are no EXIF.
 */
export async function rewriteExif(exif: Buffer): Promise<Buffer> {
  return rewrite(bufferSource(exif), MAX_EXIF_BYTES, { withSecond: true })
}

async function rewrite(source: ByteSource, maxBytes: number, options: { withSecond: boolean }): Promise<Buffer> {
  const header = readTiffHeader(await source.read(0, TIFF_HEADER_BYTES))
  if (!header) return Buffer.alloc(0)
  const { littleEndian } = header
  const reading = { source, header, remaining: maxBytes }
  const page = await readTiffDirectory(source, header, header.firstDirectory)
  const first = await readTags(reading, page.entries, BELOW_FIRST)
  for (const start of await readTagIntegers(source, header, page, SUB_DIRECTORIES, MAX_SUB_DIRECTORIES))
    await addMissing(reading, first, start)
  const head = encodeTiffHead(littleEndian)
  const written = encodeDirectory(first, FIRST_DIRECTORY_AT, littleEndian)
  if (!options.withSecond || !page.next) return Buffer.concat([head, written])
  const second = await readTags(reading, (await readTiffDirectory(source, header, page.next)).entries, [])
  const secondAt = FIRST_DIRECTORY_AT + written.length
  const nextFieldAt = 2 + (first.tags.length + first.below.length) * ENTRY_BYTES
  encodeUint(secondAt, 4, littleEndian).copy(written, nextFieldAt)
  return Buffer.concat([head, written, encodeDirectory(second, secondAt, littleEndian)])
}

/** Adds XMP, EXIF and GPS of a sub-directory where the first one has none. */
async function addMissing(reading: Reading, first: Directory, start: number): Promise<void> {
  const pointers = BELOW_FIRST.filter((pointer) => !first.below.some(([found]) => found === pointer))
  const missing = first.tags.some(({ tag }) => tag === XMP) ? pointers : [...pointers, XMP]
  if (missing.length === 0) return
  const { entries } = await readTiffDirectory(reading.source, reading.header, start)
  const wanted = entries.filter(({ tag }) => missing.includes(tag))
  const { tags, below } = await readTags(reading, wanted, pointers)
  first.tags.push(...tags)
  first.below.push(...below)
}

/** The tags of a directory, with the directories that these pointers refer to. */
async function readTags(reading: Reading, entries: TiffEntry[], pointers: number[]): Promise<Directory> {
  const tags: Tag[] = []
  for (const entry of entries) {
    const tag = await readTag(reading, entry)
    if (tag) tags.push(tag)
  }
  const below: Directory['below'] = []
  for (const pointer of pointers) {
    const found = tags.find(({ tag }) => tag === pointer)
    if (!found) continue
    const target = readPointer(found.bytes, reading.header.littleEndian)
    const directory = await readTiffDirectory(reading.source, reading.header, target)
    below.push([pointer, await readTags(reading, directory.entries, BELOW[pointer] ?? [])])
  }
  return { tags: copiedTags(tags), below }
}

/** The tag with its values; null when it is omitted, too long, beyond the end of the file or above what remains. */
async function readTag(reading: Reading, { tag, type, count, valueBytes, valuesAt, raw }: TiffEntry) {
  const length = count * valueBytes
  if (length === 0 || length > (tag === XMP ? MAX_XMP_BYTES : MAX_VALUE_BYTES) || OMITTED.includes(tag)) return null
  const cost = ENTRY_BYTES + length + (length % 2)
  if (cost > reading.remaining) return null
  reading.remaining -= cost
  const { offset } = fieldSizes(reading.header)
  const field = raw.subarray(-offset)
  const bytes = length <= offset ? field.subarray(0, length) : await reading.source.read(valuesAt, length)
  return bytes.length === length ? { tag, type, count, bytes } : null
}

/** The offset in a pointer tag; without one 0, where the file has its header and no directory. */
function readPointer(bytes: Buffer, littleEndian: boolean): number {
  return bytes.length === 4 || bytes.length === 8 ? readUint(bytes, 0, bytes.length, littleEndian) : 0
}

/** The tags that are copied: XMP as UTF-8, no pointers, no BigTIFF types, no unsafe profile. */
function copiedTags(tags: Tag[]): Tag[] {
  return tags
    .filter(({ tag, type }) => !POINTERS.includes(tag) && type < BIG_TYPES)
    .filter(({ tag, bytes }) => tag !== PROFILE || isSafeProfile(bytes))
    .map((found) => {
      if (found.tag !== XMP) return found
      const bytes = xmpToUtf8(found.bytes)
      return { tag: XMP, type: BYTE, count: bytes.length, bytes }
    })
}

const HEAD_BYTES = 132
const TAG_BYTES = 12
const MAX_TAGS = 64
const MAX_LANGUAGES = 64
const LANGUAGE_BYTES = 12
/** How often texts may refer to the same bytes of a profile, on average. */
const MAX_OVERLAP = 16

/** Whether parsing a colour profile is little work: its counts and lengths are possible for its size. */
export function isSafeProfile(profile: Buffer): boolean {
  if (profile.length < HEAD_BYTES) return false
  const tags = profile.readUInt32BE(HEAD_BYTES - 4)
  if (tags > MAX_TAGS || HEAD_BYTES + tags * TAG_BYTES > profile.length) return false
  let bytes = 0
  for (let at = HEAD_BYTES; at < HEAD_BYTES + tags * TAG_BYTES; at += TAG_BYTES)
    bytes += textBytes(profile, profile.readUInt32BE(at + 4))
  return bytes <= MAX_OVERLAP * profile.length
}

/** Bytes of the texts in all languages at this offset; infinite when its counts would mislead the parser. */
function textBytes(profile: Buffer, at: number): number {
  if (at + 16 > profile.length || profile.toString('latin1', at, at + 4) !== 'mluc') return 0
  const [languages, entryBytes] = [profile.readUInt32BE(at + 8), profile.readUInt32BE(at + 12)]
  if (languages > MAX_LANGUAGES || entryBytes < LANGUAGE_BYTES) return Number.POSITIVE_INFINITY
  let bytes = 0
  for (let entry = at + 16; entry < at + 16 + languages * entryBytes; entry += entryBytes) {
    if (entry + LANGUAGE_BYTES > profile.length) return Number.POSITIVE_INFINITY
    bytes += profile.readUInt32BE(entry + 4)
  }
  return bytes
}

/** UTF-16, detected by its byte order mark or by the `<` at the start of every packet. */
const UTF_16_STARTS: [string, string][] = [
  ['fffe', 'utf-16le'],
  ['3c00', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['003c', 'utf-16be'],
]

/** Converts an XMP packet, which may be UTF-16, to UTF-8. */
export function xmpToUtf8(bytes: Buffer): Buffer {
  const [, encoding] = UTF_16_STARTS.find(([start]) => bytes.toString('hex', 0, 2) === start) ?? []
  return encoding ? Buffer.from(new TextDecoder(encoding).decode(bytes)) : bytes
}
