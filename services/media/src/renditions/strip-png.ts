import { MAX_CHUNKS } from '../formats/png-scanner.ts'
import { removeRanges, type StrippedImage } from './stripped-image.ts'

const SIGNATURE_BYTES = 8
const HEAD_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const METADATA = ['eXIf', 'iTXt', 'tEXt', 'zTXt']
const EXIF = Buffer.from('Exif\0\0')

/**
 * A PNG without metadata, before and after its pixels.
 * @throws when it has more chunks than any PNG
 */
export function stripPng(bytes: Buffer): StrippedImage {
  const removed: { start: number; end: number }[] = []
  let exif: Buffer | undefined
  let at = SIGNATURE_BYTES
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    if (at + HEAD_BYTES > bytes.length) return { bytes: removeRanges(bytes, removed), exif }
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    const end = at + bytes.readUInt32BE(at) + FRAME_BYTES
    const data = bytes.subarray(at + HEAD_BYTES, end - 4)
    // Some writers add the prefix that EXIF has in a JPEG.
    const hasJpegPrefix = data.subarray(0, EXIF.length).equals(EXIF)
    if (type === 'eXIf') exif ??= hasJpegPrefix ? data.subarray(EXIF.length) : data
    if (METADATA.includes(type)) removed.push({ start: at, end })
    at = end
  }
  throw new Error(`a PNG of more than ${MAX_CHUNKS} chunks`)
}
