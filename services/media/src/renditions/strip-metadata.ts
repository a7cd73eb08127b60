import { deflateSync } from 'node:zlib'
import type { Format } from '@skyfolio/proto'
import { bufferSource } from '../formats/byte-source.ts'
import { encodeSegment, isFrame, jpegSegments, MAX_SEGMENTS } from '../formats/jpeg-scanner.ts'
import { encodeChunk, MAX_CHUNKS } from '../formats/png-scanner.ts'
import { MAX_PROFILES, mayBeExif, readExifText, TEXTS, withoutPrefix } from '../formats/png-text.ts'
import { readTagIntegers, readTiffDirectory, readTiffHeader } from '../formats/tiff-directory.ts'
import { ADOBE_RGB_PROFILE, isAdobeRgb } from './adobe-rgb.ts'
import { DamagedImageError, type RenderOptions } from './render-image.ts'
import { stripTiff } from './strip-tiff.ts'

/**
 * Removes the metadata of a file before it is decoded: small files can make parsing it take minutes (libexif, and
 * libtiff with tags that it does not know). The EXIF orientation is returned in the options, unless they have one. Colours that are
 * Adobe RGB by EXIF alone get the profile that decoders understand.
 * Stripping twice changes nothing.
 * @throws DamagedImageError when the file has more parts than any image
 */
export async function stripMetadata(
  bytes: Buffer,
  options: RenderOptions,
): Promise<{ bytes: Buffer; options: RenderOptions }> {
  try {
    const image = await strip(bytes, options.format)
    return { bytes: image.bytes, options: { ...options, orientation: options.orientation ?? image.orientation } }
  } catch (error) {
    throw new DamagedImageError('the image cannot be decoded', { cause: error })
  }
}

async function strip(bytes: Buffer, format: Format): Promise<{ bytes: Buffer; orientation?: number }> {
  if (format === 'tif') return stripTiff(bytes)
  if (format !== 'jpg' && format !== 'png') return { bytes }
  const image = format === 'jpg' ? stripJpeg(bytes) : await stripPng(bytes)
  if (!image.exif) return { bytes: image.bytes }
  const { orientation, isAdobeRgb } = await readExif(image.exif)
  if (!isAdobeRgb || !image.needsProfile) return { bytes: image.bytes, orientation }
  return { bytes: format === 'jpg' ? withJpegProfile(image.bytes) : withPngProfile(image.bytes), orientation }
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

/** After precision, height and width. */
const COMPONENTS_AT = 5

/**
 * A JPEG without metadata. Markers are followed as the decoder does, up to the first scan: it reads no metadata after
 * that. Everything else is copied in few large ranges.
 * @throws when it has more segments than any JPEG
 */
function stripJpeg(bytes: Buffer): StrippedImage {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let segments = 0
  let hasProfile = false
  let components = 0
  for (const { code, start, end, data } of jpegSegments(bytes)) {
    segments += 1
    if (code === APP + 2 && startsWith(data, PROFILE)) hasProfile = true
    if (isFrame(code)) components ||= data[COMPONENTS_AT] ?? 0
    if (code === APP + 1 && startsWith(data, EXIF)) exif ??= data.subarray(EXIF_BYTES)
    if (!describesImage(code, data)) removed.push({ start, end })
  }
  if (segments === MAX_SEGMENTS) throw new Error(`a JPEG of ${MAX_SEGMENTS} segments and more`)
  return { bytes: removeRanges(bytes, removed), exif, needsProfile: !hasProfile && components === 3 }
}

function withJpegProfile(bytes: Buffer): Buffer {
  // The only one of one segment.
  const segment = encodeSegment(APP + 2, PROFILE, Buffer.from([1, 1]), ADOBE_RGB_PROFILE)
  const afterStart = 2
  return Buffer.concat([bytes.subarray(0, afterStart), segment, bytes.subarray(afterStart)])
}

const SIGNATURE_BYTES = 8
const HEAD_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
/** They say what the colours are, whatever EXIF says. */
const COLOUR_SPACES = ['iCCP', 'sRGB', 'cICP']

/**
 * A PNG without metadata, before and after its pixels.
 * @throws when it has more chunks than any PNG
 */
async function stripPng(bytes: Buffer): Promise<StrippedImage> {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let exifInText: Buffer | null = null
  let profiles = 0
  let needsProfile = ((bytes[COLOUR_TYPE_AT] ?? 0) & IN_COLOUR) > 0
  let at = SIGNATURE_BYTES
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    if (at + HEAD_BYTES > bytes.length)
      return { bytes: removeRanges(bytes, removed), exif: exif ?? exifInText ?? undefined, needsProfile }
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    const end = at + bytes.readUInt32BE(at) + FRAME_BYTES
    const data = bytes.subarray(at + HEAD_BYTES, end - 4)
    const isText = TEXTS.includes(type)
    if (type === 'eXIf') exif ??= withoutPrefix(data)
    if (!exifInText && profiles < MAX_PROFILES && mayBeExif(type, data)) {
      profiles += 1
      exifInText = await readExifText(type, data)
    }
    if (COLOUR_SPACES.includes(type)) needsProfile = false
    if (isText || type === 'eXIf') removed.push({ start: at, end })
    at = end
  }
  throw new Error(`a PNG of more than ${MAX_CHUNKS} chunks`)
}

/** In the first chunk, IHDR: a bit of the colour type. */
const COLOUR_TYPE_AT = 25
const IN_COLOUR = 2
const AFTER_IHDR = 33

function withPngProfile(bytes: Buffer): Buffer {
  // A name, and the only method of compression.
  const chunk = encodeChunk('iCCP', Buffer.from('Adobe RGB\0\0', 'latin1'), deflateSync(ADOBE_RGB_PROFILE))
  return Buffer.concat([bytes.subarray(0, AFTER_IHDR), chunk, bytes.subarray(AFTER_IHDR)])
}

/** A file with nothing but image and colour profile, and the EXIF that was removed from it. */
interface StrippedImage {
  bytes: Buffer
  exif: Buffer | undefined
  /** It has colours, and nothing but EXIF may say which. */
  needsProfile: boolean
}

/** The bytes without these ranges, which are in order; the same buffer when there are none. */
function removeRanges(bytes: Buffer, ranges: { start: number; end: number }[]): Buffer {
  if (ranges.length === 0) return bytes
  const starts = [0, ...ranges.map(({ end }) => end)]
  return Buffer.concat(starts.map((start, index) => bytes.subarray(start, ranges[index]?.start)))
}

const ORIENTATION = 274

/** The orientation, 1 to 8; 1 when EXIF has none. */
async function readExif(exif: Buffer): Promise<{ orientation: number; isAdobeRgb: boolean }> {
  const header = readTiffHeader(exif)
  if (!header) return { orientation: 1, isAdobeRgb: false }
  const source = bufferSource(exif)
  const directory = await readTiffDirectory(source, header, header.firstDirectory)
  // The offset of the next directory may be missing: some writers omit it.
  const [value = 1] = directory.isWhole ? await readTagIntegers(source, header, directory, ORIENTATION, 1) : []
  return {
    orientation: value >= 1 && value <= 8 ? value : 1,
    isAdobeRgb: await isAdobeRgb(source, header, header.firstDirectory),
  }
}
