import type { Format } from '@skyfolio/proto'
import { bufferSource } from '../formats/byte-source.ts'
import { jpegSegments, MAX_SEGMENTS } from '../formats/jpeg-scanner.ts'
import { MAX_CHUNKS } from '../formats/png-scanner.ts'
import { readTagIntegers, readTiffDirectory, readTiffHeader } from '../formats/tiff-directory.ts'
import { DamagedImageError, type RenderOptions } from './render-image.ts'
import { stripTiff } from './strip-tiff.ts'

/**
 * Removes the metadata of a file before it is decoded: small files can make parsing it take minutes (libexif, and
 * libtiff with tags that it does not know). The EXIF orientation is returned in the options, unless they have one.
 * Stripping twice changes nothing.
 * @throws DamagedImageError when the file has more parts than any image
 */
export async function stripMetadata(
  bytes: Buffer,
  options: RenderOptions,
): Promise<{ bytes: Buffer; options: RenderOptions }> {
  try {
    const image = await strip(bytes, options.format)
    const found = image.exif && (await readOrientation(image.exif))
    return { bytes: image.bytes, options: { ...options, orientation: options.orientation ?? found } }
  } catch (error) {
    throw new DamagedImageError('the image cannot be decoded', { cause: error })
  }
}

async function strip(bytes: Buffer, format: Format): Promise<StrippedImage> {
  if (format === 'jpg') return stripJpeg(bytes)
  if (format === 'png') return stripPng(bytes)
  return { bytes: format === 'tif' ? await stripTiff(bytes) : bytes, exif: undefined }
}

const APP = 0xe0
const COMMENT = 0xfe
const EXIF = Buffer.from('Exif\0')
/** EXIF starts with it and one more byte of any value. */
const EXIF_BYTES = EXIF.length + 1
const PROFILE = Buffer.from('ICC_PROFILE\0')

function startsWith(bytes: Buffer, text: Buffer): boolean {
  return bytes.subarray(0, text.length).equals(text)
}

/** What the decoder needs: all but comments and APP segments other than JFIF, profile and Adobe, which describe colours. */
function describesImage(code: number, data: Buffer): boolean {
  if (code === APP + 2) return startsWith(data, PROFILE)
  return code < APP || code === APP || code === APP + 14 || (code > APP + 15 && code !== COMMENT)
}

/**
 * A JPEG without metadata. Markers are followed as the decoder does, up to the first scan: it reads no metadata after
 * that. Everything else is copied in few large ranges.
 * @throws when it has more segments than any JPEG
 */
function stripJpeg(bytes: Buffer): StrippedImage {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let segments = 0
  for (const { code, start, end, data } of jpegSegments(bytes)) {
    segments += 1
    if (code === APP + 1 && startsWith(data, EXIF)) exif ??= data.subarray(EXIF_BYTES)
    if (!describesImage(code, data)) removed.push({ start, end })
  }
  if (segments === MAX_SEGMENTS) throw new Error(`a JPEG of ${MAX_SEGMENTS} segments and more`)
  return { bytes: removeRanges(bytes, removed), exif }
}

const SIGNATURE_BYTES = 8
const HEAD_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const METADATA = ['eXIf', 'iTXt', 'tEXt', 'zTXt']
const JPEG_PREFIX = Buffer.from('Exif\0\0')

/**
 * A PNG without metadata, before and after its pixels.
 * @throws when it has more chunks than any PNG
 */
function stripPng(bytes: Buffer): StrippedImage {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let at = SIGNATURE_BYTES
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    if (at + HEAD_BYTES > bytes.length) return { bytes: removeRanges(bytes, removed), exif }
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    const end = at + bytes.readUInt32BE(at) + FRAME_BYTES
    const data = bytes.subarray(at + HEAD_BYTES, end - 4)
    // Some writers add the prefix that EXIF has in a JPEG.
    const hasJpegPrefix = data.subarray(0, JPEG_PREFIX.length).equals(JPEG_PREFIX)
    if (type === 'eXIf') exif ??= hasJpegPrefix ? data.subarray(JPEG_PREFIX.length) : data
    if (METADATA.includes(type)) removed.push({ start: at, end })
    at = end
  }
  throw new Error(`a PNG of more than ${MAX_CHUNKS} chunks`)
}

/** A file with nothing but image and colour profile, and the EXIF that was removed from it. */
interface StrippedImage {
  bytes: Buffer
  exif: Buffer | undefined
}

/** The bytes without these ranges, which are in order; the same buffer when there are none. */
function removeRanges(bytes: Buffer, ranges: { start: number; end: number }[]): Buffer {
  if (ranges.length === 0) return bytes
  const starts = [0, ...ranges.map(({ end }) => end)]
  return Buffer.concat(starts.map((start, index) => bytes.subarray(start, ranges[index]?.start)))
}

const ORIENTATION = 274

/** The orientation in EXIF, 1 to 8; 1 when it has none. Only the first directory is read. */
async function readOrientation(exif: Buffer): Promise<number> {
  const header = readTiffHeader(exif)
  if (!header) return 1
  const source = bufferSource(exif)
  const directory = await readTiffDirectory(source, header, header.firstDirectory)
  // The offset of the next directory may be missing: some writers omit it.
  const [value = 1] = directory.isWhole ? await readTagIntegers(source, header, directory, ORIENTATION, 1) : []
  return value >= 1 && value <= 8 ? value : 1
}
