import { type ByteSource, bufferSource, limitedSource } from '../formats/byte-source.ts'
import { JpegScanner } from '../formats/jpeg-scanner.ts'
import {
  encodeUint,
  fieldSizes,
  findEntry,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  type TiffDirectory,
  type TiffHeader,
} from '../formats/tiff-directory.ts'
import { readTiff } from '../formats/tiff-structure.ts'
import { ADOBE_RGB_PROFILE, isAdobeRgb } from './adobe-rgb.ts'

const HEADER_BYTES = 8
const BIG_HEADER_BYTES = 16
const FIRST_TAG = 254
const LAST_TAG = 532
const SUB_DIRECTORIES = 330
const PHOTOMETRIC = 262
/** RGB and YCbCr. */
const COLOURS = [2, 6]
const PROFILE = 34675
/** Of GDAL: the value of pixels without one, as text. */
export const NO_DATA = 42113
const COMPRESSION = 259
/** The decoder knows no older way to hold a JPEG. */
const JPEG = 7
const STRIPS = 273
const TILES = 324
const PARTS_PER_READ = 4096
/** With its own tables the header of a strip takes 700 bytes, with those of the directory 50. */
const JPEG_HEAD_BYTES = [256, 4096]

/**
 * A TIFF with nothing but its main image, and of its tags those that describe it: a new directory appended to the
 * bytes, which keep their positions. It has a profile where EXIF names its colours. Bytes that are no TIFF are returned unchanged.
 * @throws when the file has no image, its directory is too large, and for JPEGs in several scans
 */
export async function stripTiff(bytes: Buffer): Promise<{ bytes: Buffer; orientation?: number }> {
  const header = readTiffHeader(bytes)
  if (!header) return { bytes }
  const { directory: start, orientation } = await readTiff(bufferSource(bytes))
  if (start === null) throw new Error('a TIFF without an image')
  const source = limitedSource(bufferSource(bytes))
  const directory = await readTiffDirectory(source, header, start)
  if (!directory.isWhole) throw new Error('a TIFF without a directory')
  const [compression = 0] = await readTagIntegers(source, header, directory, COMPRESSION, 1)
  if (compression === JPEG) await checkJpegs(source, header, directory)
  const kept = new Map<number, Buffer>()
  for (const { tag, raw } of directory.entries) if (describesImage(tag) && !kept.has(tag)) kept.set(tag, raw)

  if (!(await needsProfile(source, header, directory, start)))
    return { bytes: withDirectory(bytes, header, kept), orientation }
  const offset = encodeUint(bytes.length, fieldSizes(header).offset, header.littleEndian)
  kept.set(PROFILE, tiffEntry(header, PROFILE, UNDEFINED, ADOBE_RGB_PROFILE.length, offset))
  return { bytes: withDirectory(Buffer.concat([bytes, ADOBE_RGB_PROFILE]), header, kept), orientation }
}

/** The EXIF that names the colours is in the directory of the image, or in the first one. */
async function needsProfile(source: ByteSource, header: TiffHeader, directory: TiffDirectory, start: number) {
  const [photometric = 0] = await readTagIntegers(source, header, directory, PHOTOMETRIC, 1)
  if (!COLOURS.includes(photometric) || findEntry(directory, PROFILE)) return false
  return (await isAdobeRgb(source, header, start)) || isAdobeRgb(source, header, header.firstDirectory)
}

const SHORT = 3
const UNDEFINED = 7

/** An entry of a directory; `field` is the value, or the offset of one that does not fit. */
function tiffEntry(header: TiffHeader, tag: number, type: number, count: number, field: Buffer): Buffer {
  const { littleEndian } = header
  const { offset } = fieldSizes(header)
  const head = [encodeUint(tag, 2, littleEndian), encodeUint(type, 2, littleEndian)]
  return Buffer.concat([...head, encodeUint(count, offset, littleEndian), field, Buffer.alloc(offset - field.length)])
}

/** The entry of a tag with a single value. */
export function shortEntry(header: TiffHeader, tag: number, value: number): Buffer {
  return tiffEntry(header, tag, SHORT, 1, encodeUint(value, 2, header.littleEndian))
}

/** The file with these entries as its only directory, appended to the bytes, which keep their positions. */
export function withDirectory(bytes: Buffer, header: TiffHeader, entries: Map<number, Buffer>): Buffer {
  const { littleEndian, isBigTiff } = header
  const size = fieldSizes(header)
  const [headerBytes, offsetAt] = isBigTiff ? [BIG_HEADER_BYTES, 8] : [HEADER_BYTES, 4]
  const padding = Buffer.alloc(bytes.length % 2)
  const sorted = [...entries].toSorted(([a], [b]) => a - b).map(([, entry]) => entry)
  return Buffer.concat([
    bytes.subarray(0, offsetAt),
    encodeUint(bytes.length + padding.length, size.offset, littleEndian),
    bytes.subarray(headerBytes),
    padding,
    encodeUint(entries.size, size.count, littleEndian),
    ...sorted,
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

/** The baseline tags, all of which the decoder knows, and what else its pixels need. */
function describesImage(tag: number): boolean {
  return (tag >= FIRST_TAG && tag <= LAST_TAG && tag !== SUB_DIRECTORIES) || tag === PROFILE || tag === NO_DATA
}
