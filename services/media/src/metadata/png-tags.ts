import { type ByteSource, inBlocks } from '../formats/byte-source.ts'

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const KEPT = ['IHDR', 'eXIf', 'iTXt', 'IEND']
const MAX_CHUNK_BYTES = 1024 * 1024
const MAX_CHUNKS = 100_000
const MAX_KEPT = 64
/** Blocks of 64 KB: more than any accepted PNG has. */
const MAX_BLOCKS = 4096

/** A PNG without its pixels: its header, EXIF and texts, which may stand behind the pixels. */
export async function pngTags(source: ByteSource): Promise<Buffer> {
  const blocks = inBlocks(source, MAX_BLOCKS)
  const parts = [await blocks.read(0, SIGNATURE_BYTES)]
  let at = SIGNATURE_BYTES
  for (let chunk = 0; chunk < MAX_CHUNKS && parts.length <= MAX_KEPT; chunk += 1) {
    const head = await blocks.read(at, 8)
    if (head.length < 8) break
    const length = head.readUInt32BE(0) + FRAME_BYTES
    const type = head.toString('latin1', 4, 8)
    if (KEPT.includes(type) && length <= MAX_CHUNK_BYTES && at + length <= source.size)
      parts.push(await blocks.read(at, length))
    at += length
  }
  return Buffer.concat(parts)
}
