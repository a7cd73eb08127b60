import type { ByteSource } from '../formats/byte-source.ts'
import { MAX_SEGMENTS } from '../formats/jpeg-scanner.ts'
import { rewriteExif } from './extract-tiff-tags.ts'
import { isSafeProfile } from './icc-profile.ts'
import { xmpToUtf8 } from './xmp-encoding.ts'

/** EXIF and XMP are at the beginning; what cameras append after this are previews and depth maps. */
const HEAD_BYTES = 1024 * 1024
const MAX_SEGMENT_BYTES = 65_533
const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])
const SOS = 0xda
const EOI = 0xd9
const EXIF = Buffer.from('Exif\0\0', 'latin1')
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1')
/** Followed by the number of the segment and the number of segments: here one of one. */
const PROFILE = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1')
const JFIF = Buffer.from('JFIF\0', 'latin1')
const JFIF_BYTES = 14
const IPTC = Buffer.from('Photoshop', 'latin1')

interface Segment {
  code: number
  body: Buffer
}

/**
 * A JPEG without its image: the first EXIF and the first XMP, IPTC, profile and JFIF, in valid consecutive segments,
 * whatever lengths and offsets the file says.
 */
export async function extractJpegTags(source: ByteSource): Promise<Buffer> {
  const others: Buffer[] = []
  let exif: Buffer | undefined
  let xmp: Buffer | undefined
  for (const found of readSegments(await source.read(0, HEAD_BYTES))) {
    const { code, body } = found
    if (code === 0xe1 && startsWith(body, EXIF)) exif ??= await rewriteExif(body.subarray(EXIF.length))
    else if (code === 0xe1 && startsWith(body, XMP)) xmp ??= xmpToUtf8(body.subarray(XMP.length))
    else if (isForDisplay(found)) others.push(encodeSegment(code, body))
  }
  return Buffer.concat([
    START,
    ...(exif?.length ? [encodeSegment(0xe1, EXIF, exif)] : []),
    ...(xmp?.length ? [encodeSegment(0xe1, XMP, xmp)] : []),
    ...others,
    END,
  ])
}

function hasNoSegment(code: number): boolean {
  return code <= 1 || (code >= 0xd0 && code <= 0xd8)
}

/** The segments before the image that are completely within these bytes; bytes between them are skipped. */
function* readSegments(head: Buffer): Generator<Segment> {
  let at = head.indexOf(0xff, START.length)
  for (let segments = 0; segments < MAX_SEGMENTS && at >= 0; ) {
    // Markers may begin with several of these bytes.
    while (head[at + 1] === 0xff) at += 1
    if (at + 4 > head.length) return
    const code = head.readUInt8(at + 1)
    if (code === SOS || code === EOI) return
    if (hasNoSegment(code)) {
      at = head.indexOf(0xff, at + 1)
      continue
    }
    segments += 1
    const end = at + 2 + Math.max(2, head.readUInt16BE(at + 2))
    if (end <= head.length) yield { code, body: head.subarray(at + 4, end) }
    at = head.indexOf(0xff, end)
  }
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
function isForDisplay({ code, body }: Segment): boolean {
  if (code === 0xe0) return body.length >= JFIF_BYTES && startsWith(body, JFIF)
  if (code === 0xe2) return startsWith(body, PROFILE) && isSafeProfile(body.subarray(PROFILE.length))
  return code === 0xed && startsWith(body, IPTC)
}
