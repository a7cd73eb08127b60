import { readTiffHeader, readUint } from '../formats/tiff-directory.ts'

const HEAD_BYTES = 8
const BIG_HEAD_BYTES = 16
/** As in libtiff. */
const MAX_TAGS = 4096
const FIRST_TAG = 254
const LAST_TAG = 532
const SUB_DIRECTORIES = 330
const PROFILE = 34675

/** The tags of TIFF itself, all of which the decoder knows, and the profile. */
function isPicture(tag: number): boolean {
  return (tag >= FIRST_TAG && tag <= LAST_TAG && tag !== SUB_DIRECTORIES) || tag === PROFILE
}

/**
 * A TIFF of one page, the first, with the tags of its picture: a directory behind all bytes, which stay where they
 * are. What is no TIFF stays as it is.
 * @throws when its first directory does not lie in it or is too large
 */
export function stripTiff(bytes: Buffer): Buffer {
  const layout = readTiffHeader(bytes)
  if (!layout) return bytes
  const { littleEndian, isBigTiff, firstDirectory } = layout
  const [countBytes, tagBytes, offsetBytes] = isBigTiff ? [8, 20, 8] : [2, 12, 4]
  const tagsAt = firstDirectory + countBytes
  const count = tagsAt <= bytes.length ? readUint(bytes, firstDirectory, countBytes, littleEndian) : 0
  if (count === 0 || count > MAX_TAGS || tagsAt + count * tagBytes > bytes.length)
    throw new Error('a TIFF without a directory')

  const kept = new Map<number, Buffer>()
  for (let at = tagsAt; at < tagsAt + count * tagBytes; at += tagBytes) {
    const tag = readUint(bytes, at, 2, littleEndian)
    if (isPicture(tag) && !kept.has(tag)) kept.set(tag, bytes.subarray(at, at + tagBytes))
  }

  const write = (value: number, width: number) => {
    const written = Buffer.alloc(width)
    if (width === 8 && littleEndian) written.writeBigUInt64LE(BigInt(value))
    else if (width === 8) written.writeBigUInt64BE(BigInt(value))
    else if (littleEndian) written.writeUIntLE(value, 0, width)
    else written.writeUIntBE(value, 0, width)
    return written
  }
  const [headBytes, firstAt] = isBigTiff ? [BIG_HEAD_BYTES, 8] : [HEAD_BYTES, 4]
  const padding = Buffer.alloc(bytes.length % 2)
  return Buffer.concat([
    bytes.subarray(0, firstAt),
    write(bytes.length + padding.length, offsetBytes),
    bytes.subarray(headBytes),
    padding,
    write(kept.size, countBytes),
    ...kept.values(),
    // No next page.
    Buffer.alloc(offsetBytes),
  ])
}
