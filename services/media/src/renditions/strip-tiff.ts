import { type ByteSource, bufferSource, limitedSource } from '../formats/byte-source.ts'
import { JpegScanner } from '../formats/jpeg-scanner.ts'
import {
  encodeUint,
  fieldSizes,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  type TiffDirectory,
  type TiffHeader,
} from '../formats/tiff-directory.ts'

const HEADER_BYTES = 8
const BIG_HEADER_BYTES = 16
const FIRST_TAG = 254
const LAST_TAG = 532
const SUB_DIRECTORIES = 330
const PROFILE = 34675
const COMPRESSION = 259
/** The decoder knows no older way to hold a JPEG. */
const JPEG = 7
const STRIPS = 273
const TILES = 324
const PARTS_PER_READ = 4096
/** With its own tables the header of a strip takes 700 bytes, with those of the directory 50. */
const JPEG_HEAD_BYTES = [256, 4096]

/**
 * A TIFF with the first page only, and of its tags those that describe the image: a new directory appended to the
 * bytes, which keep their positions. Bytes that are no TIFF are returned unchanged.
 * @throws when the first directory is not within the file or is too large, and for JPEGs in several scans
 */
export async function stripTiff(bytes: Buffer): Promise<Buffer> {
  const header = readTiffHeader(bytes)
  if (!header) return bytes
  const source = limitedSource(bufferSource(bytes))
  const directory = await readTiffDirectory(source, header, header.firstDirectory)
  const { entries, isWhole } = directory
  if (!isWhole) throw new Error('a TIFF without a directory')
  const [compression = 0] = await readTagIntegers(source, header, directory, COMPRESSION, 1)
  if (compression === JPEG) await checkJpegs(source, header, directory)
  const kept = new Map<number, Buffer>()
  for (const { tag, raw } of entries) if (describesImage(tag) && !kept.has(tag)) kept.set(tag, raw)

  const { littleEndian, isBigTiff } = header
  const size = fieldSizes(header)
  const [headerBytes, offsetAt] = isBigTiff ? [BIG_HEADER_BYTES, 8] : [HEADER_BYTES, 4]
  const padding = Buffer.alloc(bytes.length % 2)
  return Buffer.concat([
    bytes.subarray(0, offsetAt),
    encodeUint(bytes.length + padding.length, size.offset, littleEndian),
    bytes.subarray(headerBytes),
    padding,
    encodeUint(kept.size, size.count, littleEndian),
    ...kept.values(),
    // No next page.
    Buffer.alloc(size.offset),
  ])
}

/**
 * Encoders write each strip or tile as a JPEG in one scan. A decoder goes over its pixels for each scan, and for each strip or
 * tile that refers to it.
 * @throws when one has several scans, or does not begin with a header
 */
async function checkJpegs(source: ByteSource, header: TiffHeader, directory: TiffDirectory): Promise<void> {
  for (const tag of [STRIPS, TILES]) {
    for (let from = 0; ; from += PARTS_PER_READ) {
      const starts = await readTagIntegers(source, header, directory, tag, PARTS_PER_READ, from)
      for (const start of starts)
        if (!(await hasOneScan(source, start))) throw new Error('a TIFF with a JPEG in several scans')
      if (starts.length < PARTS_PER_READ) break
    }
  }
}

async function hasOneScan(source: ByteSource, start: number): Promise<boolean> {
  for (const length of JPEG_HEAD_BYTES) {
    const scanner = new JpegScanner()
    scanner.push(await source.read(start, length))
    if (scanner.hasOneScan !== null) return scanner.hasOneScan
  }
  return false
}

/** The baseline tags, all of which the decoder knows, and the profile. */
function describesImage(tag: number): boolean {
  return (tag >= FIRST_TAG && tag <= LAST_TAG && tag !== SUB_DIRECTORIES) || tag === PROFILE
}
