import { bufferSource } from '../formats/byte-source.ts'
import { encodeUint, fieldSizes, readTiffDirectory, readTiffHeader } from '../formats/tiff-directory.ts'

const HEADER_BYTES = 8
const BIG_HEADER_BYTES = 16
const FIRST_TAG = 254
const LAST_TAG = 532
const SUB_DIRECTORIES = 330
const PROFILE = 34675

/**
 * A TIFF with the first page only, and of its tags those that describe the image: a new directory appended to the
 * bytes, which keep their positions. Bytes that are no TIFF are returned unchanged.
 * @throws when the first directory is not within the file or is too large
 */
export async function stripTiff(bytes: Buffer): Promise<Buffer> {
  const header = readTiffHeader(bytes)
  if (!header) return bytes
  const { entries, isWhole } = await readTiffDirectory(bufferSource(bytes), header, header.firstDirectory)
  if (!isWhole) throw new Error('a TIFF without a directory')
  const kept = new Map<number, Buffer>()
  for (const { tag, raw } of entries) if (describesImage(tag) && !kept.has(tag)) kept.set(tag, raw)

  const { littleEndian, isBigTiff } = header
  const size = fieldSizes(header)
  const [headerBytes, offsetAt] = isBigTiff ? [BIG_HEADER_BYTES, 8] : [HEADER_BYTES, 4]
  const padding = Buffer.alloc(bytes.length % 2)
  return Buffer.concat([
    bytes.subarray(0, offsetAt),
    encodeUint(bytes.length + padding.length, size.offset, littleEndian),
    bytes.subarray(headerBytes),
    padding,
    encodeUint(kept.size, size.count, littleEndian),
    ...kept.values(),
    // No next page.
    Buffer.alloc(size.offset),
  ])
}

/** The baseline tags, all of which the decoder knows, and the profile. */
function describesImage(tag: number): boolean {
  return (tag >= FIRST_TAG && tag <= LAST_TAG && tag !== SUB_DIRECTORIES) || tag === PROFILE
}
