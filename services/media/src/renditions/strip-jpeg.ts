import { MAX_SEGMENTS } from '../formats/jpeg-scanner.ts'
import { removeRanges, type StrippedImage } from './stripped-image.ts'

const MARKER = 0xff
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
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

/** Fill bytes, restarts and other markers without a segment. */
function hasNoSegment(code: number): boolean {
  return code === 0 || code === 1 || (code >= 0xd0 && code < SOI)
}

/**
 * A JPEG without metadata. Markers are followed as the decoder does, up to the first scan: it reads no metadata after
 * that. Everything else is copied in few large ranges.
 * @throws when it has more markers than any JPEG
 */
export function stripJpeg(bytes: Buffer): StrippedImage {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let at = 2
  for (let markers = 0; markers < MAX_SEGMENTS; markers += 1) {
    const start = bytes.indexOf(MARKER, at)
    let codeAt = start + 1
    while (bytes[codeAt] === MARKER) codeAt += 1
    const code = bytes[codeAt] ?? EOI
    const isEnd = start < 0 || [SOI, EOI, SOS].includes(code) || codeAt + 3 > bytes.length
    if (isEnd) return { bytes: removeRanges(bytes, removed), exif }
    if (hasNoSegment(code)) {
      at = codeAt + 1
      continue
    }
    const end = codeAt + 1 + Math.max(2, bytes.readUInt16BE(codeAt + 1))
    const data = bytes.subarray(codeAt + 3, end)
    if (code === APP + 1 && startsWith(data, EXIF)) exif ??= data.subarray(EXIF_BYTES)
    if (!describesImage(code, data)) removed.push({ start, end })
    at = end
  }
  throw new Error(`a JPEG of more than ${MAX_SEGMENTS} segments`)
}
