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

const BLOCK = randomBytes(1_000_000)

/** Makes a file of so many MB that was never sent before, of which only the beginning and the end are those of a photo. */
export function makeLarge(photo: Buffer, megabytes: number): Uint8Array[] {
  const blocks = Array.from({ length: megabytes }, () => BLOCK)
  return [...withComment(photo.subarray(0, -2), randomBytes(16)), ...blocks, photo.subarray(-2)]
}
