import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { type ByteSource, limitedSource, withinLimit } from '../formats/byte-source.ts'
import { rewriteExif } from './extract-tiff-tags.ts'
import { xmpToUtf8 } from './xmp-encoding.ts'

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12
const MAX_CHUNK_BYTES = 1024 * 1024
/** Of a compressed packet, uncompressed. */
const MAX_PACKET_BYTES = 1024 * 1024
const XMP = Buffer.from('XML:com.adobe.xmp\0', 'latin1')

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
export async function extractPngTags(source: ByteSource): Promise<Buffer> {
  const limited = limitedSource(source)
  const signature = await limited.read(0, SIGNATURE_BYTES)
  const found: Found = {}
  await withinLimit(readChunks(limited, found), undefined)
  const { header, exif, xmp } = found
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header ?? Buffer.alloc(0)),
    ...(exif?.length ? [encodeChunk('eXIf', exif)] : []),
    ...(xmp?.length ? [encodeChunk('iTXt', Buffer.concat([XMP, Buffer.alloc(4), xmp]))] : []),
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
  if (!text.subarray(0, XMP.length).equals(XMP)) return undefined
  const isCompressed = text[XMP.length] === 1
  // Two flags, then the language and the translated keyword, each terminated by NUL.
  const name = text.indexOf(0, XMP.length + 2) + 1
  const start = text.indexOf(0, name) + 1
  if (name === 0 || start === 0) return Buffer.alloc(0)
  const bytes = text.subarray(start)
  if (!isCompressed) return xmpToUtf8(bytes)
  const inflated = await promisify(inflate)(bytes, { maxOutputLength: MAX_PACKET_BYTES }).catch(() => Buffer.alloc(0))
  return xmpToUtf8(inflated)
}
