import type { ByteRange } from '../files/responses.ts'
import { cleanExif } from './clean-exif.ts'

/** Most of it is the colour profile, if any. */
export const MAX_HEAD_BYTES = 1024 * 1024

/** What a cleaned file consists of: new bytes before a range of the original. */
export interface CleanParts {
  head: Buffer
  /** Without what the camera is and how it was set. */
  plainHead: Buffer
  range: ByteRange
  rangeCrc32: number
}

/** Encodes both heads. Null when they are longer than is stored. */
export async function encodeHeads(
  exif: Buffer | null,
  encode: (cleanExif: Buffer) => Buffer,
  rest: Pick<CleanParts, 'range' | 'rangeCrc32'>,
): Promise<CleanParts | null> {
  const given = exif ?? Buffer.alloc(0)
  const head = encode(await cleanExif(given, { camera: true }))
  if (head.length > MAX_HEAD_BYTES) return null
  return { ...rest, head, plainHead: encode(await cleanExif(given, { camera: false })) }
}
