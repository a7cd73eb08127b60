import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { Format } from '@skyfolio/proto'
import { type ByteSource, limitedSource, withinLimit } from '../formats/byte-source.ts'
import { type JpegSegment, jpegSegments } from '../formats/jpeg-scanner.ts'
import { extractTiffTags, isSafeProfile, rewriteExif, xmpToUtf8 } from './extract-tiff-tags.ts'

/**
 * The metadata of a file, as a small file of the same format for the parser; null for a format without metadata. What
 * is read and what is returned are bounded, whatever the bytes say.
 * @throws only what `source` throws
 */
export async function extractTags(source: ByteSource, format: Format): Promise<Buffer | null> {
  if (format === 'jpg') return extractJpegTags(source)
  if (format === 'png') return extractPngTags(source)
  return format === 'tif' || format === 'dng' ? extractTiffTags(source) : null
}

/** EXIF and XMP are at the beginning; what cameras append after this are previews and depth maps. */
const HEAD_BYTES = 1024 * 1024
const MAX_SEGMENT_BYTES = 65_533
const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])
const EXIF = Buffer.from('Exif\0\0', 'latin1')
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1')
/** Followed by the number of the segment and the number of segments: here one of one. */
const PROFILE = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1')
const JFIF = Buffer.from('JFIF\0', 'latin1')
const JFIF_BYTES = 14
const IPTC = Buffer.from('Photoshop', 'latin1')

/**
 * A JPEG without its image: the first EXIF and the first XMP, IPTC, profile and JFIF, in valid consecutive segments,
 * whatever lengths and offsets the file says.
 */
async function extractJpegTags(source: ByteSource): Promise<Buffer> {
  const others: Buffer[] = []
  let exif: Buffer | undefined
  let xmp: Buffer | undefined
  const head = await source.read(0, HEAD_BYTES)
  for (const segment of jpegSegments(head)) {
    const { code, data, end } = segment
    if (end > head.length) break
    if (code === 0xe1 && startsWith(data, EXIF)) exif ??= await rewriteExif(data.subarray(EXIF.length))
    else if (code === 0xe1 && startsWith(data, XMP)) xmp ??= xmpToUtf8(data.subarray(XMP.length))
    else if (isForDisplay(segment)) others.push(encodeSegment(code, data))
  }
  return Buffer.concat([
    START,
    ...(exif?.length ? [encodeSegment(0xe1, EXIF, exif)] : []),
    ...(xmp?.length ? [encodeSegment(0xe1, XMP, xmp)] : []),
    ...others,
    END,
  ])
}

function encodeSegment(code: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts).subarray(0, MAX_SEGMENT_BYTES)
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

function startsWith(body: Buffer, name: Buffer): boolean {
  return body.length > name.length && body.subarray(0, name.length).equals(name)
}

/** JFIF, a profile in one segment, and IPTC, which only the metadata screen shows. */
function isForDisplay({ code, data }: JpegSegment): boolean {
  if (code === 0xe0) return data.length >= JFIF_BYTES && startsWith(data, JFIF)
  if (code === 0xe2) return startsWith(data, PROFILE) && isSafeProfile(data.subarray(PROFILE.length))
  return code === 0xed && startsWith(data, IPTC)
}

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const MAX_CHUNK_BYTES = 1024 * 1024
/** Of a compressed packet, uncompressed. */
const MAX_PACKET_BYTES = 1024 * 1024
const XMP_KEYWORD = Buffer.from('XML:com.adobe.xmp\0', 'latin1')

/** The data of the first chunks that count; of the texts the one with XMP. */
interface Found {
  header?: Buffer
  exif?: Buffer
  xmp?: Buffer | undefined
}

/**
 * A PNG without its pixels: header and the first EXIF and XMP, which may be after the pixels. EXIF is bounded and XMP
 * uncompressed.
 */
async function extractPngTags(source: ByteSource): Promise<Buffer> {
  const limited = limitedSource(source)
  const signature = await limited.read(0, SIGNATURE_BYTES)
  const found: Found = {}
  await withinLimit(readChunks(limited, found), undefined)
  const { header, exif, xmp } = found
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header ?? Buffer.alloc(0)),
    ...(exif?.length ? [encodeChunk('eXIf', exif)] : []),
    ...(xmp?.length ? [encodeChunk('iTXt', Buffer.concat([XMP_KEYWORD, Buffer.alloc(4), xmp]))] : []),
    encodeChunk('IEND', Buffer.alloc(0)),
  ])
}

async function readChunks(source: ByteSource, found: Found): Promise<void> {
  let at = SIGNATURE_BYTES
  for (;;) {
    const head = await source.read(at, 8)
    if (head.length < 8) return
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4, 8)
    const fits = length <= MAX_CHUNK_BYTES && at + length + FRAME_BYTES <= source.size
    const data = async () => (fits ? source.read(at + 8, length) : Buffer.alloc(0))
    if (type === 'IHDR') found.header ??= await data()
    if (type === 'eXIf') found.exif ??= await rewriteExif(await data())
    if (type === 'iTXt') found.xmp ??= await readXmpPacket(await data())
    at += length + FRAME_BYTES
  }
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + FRAME_BYTES)
  framed.writeUInt32BE(data.length, 0)
  framed.write(type, 4, 'latin1')
  data.copy(framed, 8)
  return framed
}

/** The packet of an XMP text, empty when it is damaged or too large; undefined for another text. */
async function readXmpPacket(text: Buffer): Promise<Buffer | undefined> {
  if (!text.subarray(0, XMP_KEYWORD.length).equals(XMP_KEYWORD)) return undefined
  const isCompressed = text[XMP_KEYWORD.length] === 1
  // Two flags, then the language and the translated keyword, each terminated by NUL.
  const name = text.indexOf(0, XMP_KEYWORD.length + 2) + 1
  const start = text.indexOf(0, name) + 1
  if (name === 0 || start === 0) return Buffer.alloc(0)
  const bytes = text.subarray(start)
  if (!isCompressed) return xmpToUtf8(bytes)
  const inflated = await promisify(inflate)(bytes, { maxOutputLength: MAX_PACKET_BYTES }).catch(() => Buffer.alloc(0))
  return xmpToUtf8(inflated)
}
