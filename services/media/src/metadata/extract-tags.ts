import type { Format } from '@skyfolio/proto'
import { type ByteSource, limitedSource, withinLimit } from '../formats/byte-source.ts'
import { encodeSegment, type JpegSegment, jpegSegments } from '../formats/jpeg-scanner.ts'
import { encodeChunk } from '../formats/png-scanner.ts'
import { keywordOf, MAX_PROFILES, profileOf, readPngText, readProfile, withoutPrefix } from '../formats/png-text.ts'
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
const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])
const EXIF = Buffer.from('Exif\0\0', 'latin1')
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1')
/**
 * Before a part of the extended XMP (XMP part 3, ISO 16684-3): followed by the id of the whole, its length and the offset of the part. The
 * id is in the first XMP.
 */
const EXTENDED_XMP = Buffer.from('http://ns.adobe.com/xmp/extension/\0', 'latin1')
const EXTENSION_ID_BYTES = 32
const EXTENSION_ID = /HasExtendedXMP\s{0,9}(?:=\s{0,9}["']|>)\s{0,9}([0-9A-F]{32})/i
const EXTENSION_HEAD_BYTES = EXTENSION_ID_BYTES + 8
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
  const extensions: Buffer[] = []
  let exif: Buffer | undefined
  let xmp: Buffer | undefined
  const head = await source.read(0, HEAD_BYTES)
  for (const segment of jpegSegments(head)) {
    const { code, data, end } = segment
    if (end > head.length) break
    if (code === 0xe1 && startsWith(data, EXIF)) exif ??= await rewriteExif(data.subarray(EXIF.length))
    else if (code === 0xe1 && startsWith(data, XMP)) xmp ??= xmpToUtf8(data.subarray(XMP.length))
    else if (code === 0xe1 && startsWith(data, EXTENDED_XMP)) extensions.push(data.subarray(EXTENDED_XMP.length))
    else if (isForDisplay(segment)) others.push(encodeSegment(code, data))
  }
  return Buffer.concat([
    START,
    ...(exif?.length ? [encodeSegment(0xe1, EXIF, exif)] : []),
    ...(xmp?.length ? [encodeSegment(0xe1, XMP, xmp, joinExtensions(xmp, extensions))] : []),
    ...others,
    END,
  ])
}

/** The parts of the extended XMP in their order, up to one that is missing. */
function joinExtensions(xmp: Buffer, extensions: Buffer[]): Buffer {
  const [, id] = EXTENSION_ID.exec(xmp.toString('latin1')) ?? []
  const own = extensions.filter(
    (part) => part.length > EXTENSION_HEAD_BYTES && part.toString('latin1', 0, EXTENSION_ID_BYTES) === id,
  )
  const offsetOf = (part: Buffer) => part.readUInt32BE(EXTENSION_HEAD_BYTES - 4)
  const joined: Buffer[] = []
  let end = 0
  for (const part of own.sort((a, b) => offsetOf(a) - offsetOf(b))) {
    if (offsetOf(part) !== end) break
    joined.push(part.subarray(EXTENSION_HEAD_BYTES))
    end += part.length - EXTENSION_HEAD_BYTES
  }
  return Buffer.concat(joined)
}

function startsWith(body: Buffer, name: Buffer): boolean {
  return body.length > name.length && body.subarray(0, name.length).equals(name)
}

/** JFIF and a profile in one segment, which only the metadata screen shows, and IPTC. */
function isForDisplay({ code, data }: JpegSegment): boolean {
  if (code === 0xe0) return data.length >= JFIF_BYTES && startsWith(data, JFIF)
  if (code === 0xe2) return startsWith(data, PROFILE) && isSafeProfile(data.subarray(PROFILE.length))
  return code === 0xed && startsWith(data, IPTC)
}

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const MAX_CHUNK_BYTES = 1024 * 1024
const XMP_KEYWORD = 'XML:com.adobe.xmp'
const CREATION_TIME = 'Creation Time'
const MAX_DATE_BYTES = 100
/** The data of the first chunks that count. */
interface Found {
  header?: Buffer
  exif?: Buffer
  xmp?: Buffer
  /** From texts, used where there is no chunk of its own. */
  textExif?: Buffer
  textXmp?: Buffer
  creationTime?: Buffer
  /** Number of texts that were decoded as metadata. */
  profiles: number
}

/**
 * A PNG without its pixels: header and the first EXIF, XMP and time of creation, which may be after the pixels. EXIF is bounded and XMP
 * uncompressed.
 */
async function extractPngTags(source: ByteSource): Promise<Buffer> {
  const limited = limitedSource(source)
  const signature = await limited.read(0, SIGNATURE_BYTES)
  const found: Found = { profiles: 0 }
  await withinLimit(readChunks(limited, found), undefined)
  const exif = found.exif ?? found.textExif
  const xmp = found.xmp ?? found.textXmp
  const { header, creationTime } = found
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header ?? Buffer.alloc(0)),
    ...(exif?.length ? [encodeChunk('eXIf', exif)] : []),
    ...(xmp?.length ? [encodeChunk('iTXt', Buffer.from(`${XMP_KEYWORD}\0\0\0\0\0`), xmp)] : []),
    ...(creationTime ? [encodeChunk('tEXt', Buffer.from(`${CREATION_TIME}\0`), creationTime)] : []),
    encodeChunk('IEND'),
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
    if (type === 'eXIf') found.exif ??= await rewriteExif(withoutPrefix(await data()))
    if (type === 'tEXt' || type === 'zTXt' || type === 'iTXt') await readText(type, await data(), found)
    at += length + FRAME_BYTES
  }
}

/** Reads a text that counts, unless there was one of its kind or many: the work for a file is that of a few texts. */
async function readText(type: string, data: Buffer, found: Found): Promise<void> {
  const keyword = keywordOf(data)
  if (keyword === XMP_KEYWORD) found.xmp ??= xmpToUtf8(await readPngText(type, data))
  if (keyword.toLowerCase() === CREATION_TIME.toLowerCase())
    found.creationTime ??= (await readPngText(type, data)).subarray(0, MAX_DATE_BYTES)
  const profile = profileOf(data)
  if (!profile || found.profiles === MAX_PROFILES || (profile === 'xmp' ? found.textXmp : found.textExif)) return
  found.profiles += 1
  const decoded = await readProfile(type, data)
  if (profile === 'xmp') found.textXmp = xmpToUtf8(decoded)
  else if (startsWith(decoded, XMP)) found.textXmp ??= xmpToUtf8(decoded.subarray(XMP.length))
  else found.textExif = await rewriteExif(withoutPrefix(decoded))
}
