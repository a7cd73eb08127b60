import { crc32 } from 'node:zlib'
import { encodeSegment, isFrame, JpegScanner, jpegSegments, SOS } from '../formats/jpeg-scanner.ts'
import { type CleanParts, encodeHeads } from './clean-parts.ts'

/** Before the image: drones write previews and measured temperatures there. */
const MAX_READ_BYTES = 16 * 1024 * 1024

const START = Buffer.from([0xff, 0xd8])
const [APP0, APP1, APP2, APP14] = [0xe0, 0xe1, 0xe2, 0xee]
/** DHT, DAC, DQT, DNL and DRI. */
const TABLES = [0xc4, 0xcc, 0xdb, 0xdc, 0xdd]
const EXIF = 'Exif\0'
/** EXIF starts with it and one more byte of any value. */
const EXIF_BYTES = EXIF.length + 1
/** Of JFIF, up to the size of the thumbnail. */
const JFIF_BYTES = 12
const NO_THUMBNAIL = Buffer.from([0, 0])

interface JpegHead {
  jfif: Buffer | null
  exif: Buffer | null
  /** The segments that decoders need. */
  kept: Buffer[]
  /** Where the first scan begins. */
  scanAt: number
}

/** Reads a JPEG to the end of its image. Null for one that is damaged, or has metadata where it cannot be left out. */
export async function cleanJpeg(chunks: AsyncIterable<Buffer>): Promise<CleanParts | null> {
  const scanner = new JpegScanner()
  const unread: Buffer[] = []
  let head: JpegHead | null = null
  let position = 0
  let checksum = 0
  for await (const chunk of chunks) {
    scanner.push(chunk)
    if (scanner.hasTooManyParts || scanner.hasOthersAmongScans) return null
    let scanned = chunk
    if (!head) {
      unread.push(chunk)
      position += chunk.length
      if (position > MAX_READ_BYTES) return null
      if (scanner.scans === 0) continue
      const bytes = Buffer.concat(unread)
      head = readHead(bytes)
      if (!head) return null
      position = head.scanAt
      scanned = bytes.subarray(position)
    }
    const end = scanner.endsAt ?? position + scanned.length
    checksum = crc32(scanned.subarray(0, end - position), checksum)
    position = end
    if (scanner.endsAt !== null) return assemble(head, position, checksum)
  }
  return null
}

function readHead(bytes: Buffer): JpegHead | null {
  const head: JpegHead = { jfif: null, exif: null, kept: [], scanAt: 0 }
  for (const { code, start, end, data } of jpegSegments(bytes)) {
    if (code === SOS) return { ...head, scanAt: start }
    if (code === APP0 && startsWith(data, 'JFIF\0') && data.length >= JFIF_BYTES)
      head.jfif ??= encodeSegment(APP0, data.subarray(0, JFIF_BYTES), NO_THUMBNAIL)
    if (code === APP1 && startsWith(data, EXIF)) head.exif ??= data.subarray(EXIF_BYTES)
    if (describesImage(code, data)) head.kept.push(bytes.subarray(start, end))
  }
  return null
}

function describesImage(code: number, data: Buffer): boolean {
  if (code === APP2) return startsWith(data, 'ICC_PROFILE\0')
  return isFrame(code) || TABLES.includes(code) || (code === APP14 && startsWith(data, 'Adobe'))
}

function startsWith(data: Buffer, name: string): boolean {
  return data.toString('latin1', 0, name.length) === name
}

function assemble({ jfif, exif, kept, scanAt }: JpegHead, end: number, checksum: number): Promise<CleanParts | null> {
  const encode = (clean: Buffer) => {
    const segment = clean.length > 0 ? [encodeSegment(APP1, Buffer.from(`${EXIF}\0`), clean)] : []
    return Buffer.concat([START, ...(jfif ? [jfif] : []), ...segment, ...kept])
  }
  return encodeHeads(exif, encode, { range: { start: scanAt, end: end - 1 }, rangeCrc32: checksum })
}
