import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { type ByteSource, blockSource } from '../formats/byte-source.ts'
import { rewriteExif } from './extract-tiff-tags.ts'
import { xmpToUtf8 } from './xmp-encoding.ts'

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const MAX_CHUNK_BYTES = 1024 * 1024
/** Of a packet that is compressed, as it is without. */
const MAX_PACKET_BYTES = 1024 * 1024
const MAX_CHUNKS = 100_000
/** Blocks of 64 KB: more than any accepted PNG has. */
const MAX_BLOCKS = 4096
const XMP = Buffer.from('XML:com.adobe.xmp\0', 'latin1')

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + FRAME_BYTES)
  framed.writeUInt32BE(data.length, 0)
  framed.write(type, 4, 'latin1')
  data.copy(framed, 8)
  return framed
}

/** The packet of an XMP text, empty when it is broken or more than a packet may be; undefined of another text. */
async function packetOf(text: Buffer): Promise<Buffer | undefined> {
  if (!text.subarray(0, XMP.length).equals(XMP)) return undefined
  const compressed = text[XMP.length] === 1
  // Two flags, then a language and a name of the text, which end with a NUL each.
  const name = text.indexOf(0, XMP.length + 2) + 1
  const start = text.indexOf(0, name) + 1
  if (name === 0 || start === 0) return Buffer.alloc(0)
  const bytes = text.subarray(start)
  if (!compressed) return xmpToUtf8(bytes)
  const whole = await promisify(inflate)(bytes, { maxOutputLength: MAX_PACKET_BYTES }).catch(() => Buffer.alloc(0))
  return xmpToUtf8(whole)
}

/**
 * A PNG without its pixels: its header, EXIF and XMP, the first of each, which may stand behind the pixels. EXIF is
 * bounded and XMP no longer compressed.
 */
export async function extractPngTags(source: ByteSource): Promise<Buffer> {
  const blocks = blockSource(source, MAX_BLOCKS)
  const signature = await blocks.read(0, SIGNATURE_BYTES)
  let header: Buffer | undefined
  let exif: Buffer | undefined
  let xmp: Buffer | undefined
  let at = SIGNATURE_BYTES
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await blocks.read(at, 8)
    if (head.length < 8) break
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4, 8)
    const fits = length <= MAX_CHUNK_BYTES && at + length + FRAME_BYTES <= source.size
    const data = async () => (fits ? blocks.read(at + 8, length) : Buffer.alloc(0))
    if (type === 'IHDR') header ??= await data()
    if (type === 'eXIf') exif ??= await rewriteExif(await data())
    if (type === 'iTXt') xmp ??= await packetOf(await data())
    at += length + FRAME_BYTES
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header ?? Buffer.alloc(0)),
    ...(exif?.length ? [chunk('eXIf', exif)] : []),
    ...(xmp?.length ? [chunk('iTXt', Buffer.concat([XMP, Buffer.alloc(4), xmp]))] : []),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
