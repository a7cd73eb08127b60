import { createHash, randomBytes } from 'node:crypto'
import { packagedPhotos } from '@skyfolio/testkit/photos'
import sharp from 'sharp'
import { sizeOf, withComment } from '../load/multipart.ts'

/** A file to upload, with the digests that a client knows before it sends anything. */
export interface BenchFile {
  name: string
  size: number
  sha256: Buffer
  pieces: Uint8Array[]
  partBytes: number
  parts: FilePart[]
}

export interface FilePart {
  number: number
  /** In hex. */
  sha256: string
  pieces: Uint8Array[]
}

const QUALITY = 92
const TILE = { width: 1536, height: 1024 }
/** Makes an enlarged photograph as hard to compress as a camera's: about half a byte per pixel. */
const GRAIN = { ...TILE, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma: 30 } } as const

/** Creates a JPEG of about this size with a camera's bytes per pixel: a photograph and its reflections. */
export async function createJpeg(bytes: number, index: number): Promise<Buffer> {
  const bases = packagedPhotos()
  const overlay = await sharp({ create: GRAIN }).png({ compressionLevel: 0 }).toBuffer()
  const part = await sharp(bases[index % bases.length])
    .resize({ ...TILE, fit: 'cover' })
    .composite([{ input: overlay, blend: 'soft-light' }])
    .jpeg({ quality: QUALITY })
    .toBuffer()
  const scale = Math.sqrt(bytes / part.length)
  const right = Math.round(TILE.width * (scale - 1))
  const bottom = Math.round(TILE.height * (scale - 1))
  return sharp(part).extend({ right, bottom, extendWith: 'mirror' }).jpeg({ quality: QUALITY }).toBuffer()
}

/** Makes a file of the same image that was never sent before. */
export function makeUnique(photo: Buffer): Uint8Array[] {
  return withComment(photo, randomBytes(16))
}

/** Computes the digests of a file that was never sent before. */
export function describeFile(pieces: Uint8Array[], partBytes: number, name = 'photo.jpg'): BenchFile {
  const size = sizeOf(pieces)
  const parts = Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => {
    const slice = slicePieces(pieces, index * partBytes, (index + 1) * partBytes)
    return { number: index + 1, sha256: digestOf(slice).toString('hex'), pieces: slice }
  })
  return { name, size, sha256: digestOf(pieces), pieces, partBytes, parts }
}

function digestOf(pieces: Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}

/** The bytes from `start` to before `end`, without a copy. */
function slicePieces(pieces: Uint8Array[], start: number, end: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  for (const piece of pieces) {
    const slice = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
    if (slice.length > 0) found.push(slice)
    at += piece.length
  }
  return found
}

const BLOCK_BYTES = 1_000_000
const RANDOM_BLOCK = randomBytes(BLOCK_BYTES)
const TIFF = { width: 8000, rowsPerStrip: 250, bytesPerPixel: 3 }

/** Creates a unique uncompressed RGB TIFF of slightly more than `strips` times 6 MB. */
export function createTiff(strips: number): Uint8Array[] {
  const stripBytes = TIFF.width * TIFF.rowsPerStrip * TIFF.bytesPerPixel
  const pixels: Uint8Array[] = Array.from({ length: (strips * stripBytes) / BLOCK_BYTES - 1 }, () => RANDOM_BLOCK)
  return [createTiffHeader(strips, stripBytes), randomBytes(BLOCK_BYTES), ...pixels]
}

/** Header and directory, little-endian, followed by the bits per sample and the offsets and sizes of the strips. */
function createTiffHeader(strips: number, stripBytes: number): Buffer {
  const SHORT = 3
  const LONG = 4
  const entryCount = 10
  const bitsAt = 8 + 2 + entryCount * 12 + 4
  const offsetsAt = bitsAt + 6
  const sizesAt = offsetsAt + strips * 4
  const pixelsAt = sizesAt + strips * 4
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, LONG, 1, TIFF.width],
    [257, LONG, 1, strips * TIFF.rowsPerStrip],
    [258, SHORT, 3, bitsAt],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 2],
    [273, LONG, strips, offsetsAt],
    [277, SHORT, 1, TIFF.bytesPerPixel],
    [278, LONG, 1, TIFF.rowsPerStrip],
    [279, LONG, strips, sizesAt],
    [284, SHORT, 1, 1],
  ]
  const head = Buffer.alloc(pixelsAt)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(entryCount, 8)
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(count, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  for (const sample of [0, 1, 2]) head.writeUInt16LE(8, bitsAt + sample * 2)
  for (let strip = 0; strip < strips; strip += 1) {
    head.writeUInt32LE(pixelsAt + strip * stripBytes, offsetsAt + strip * 4)
    head.writeUInt32LE(stripBytes, sizesAt + strip * 4)
  }
  return head
}
