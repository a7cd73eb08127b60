import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'

/** Wide enough for a card on a screen with double density; the height bounds panoramas on end. */
const THUMBNAIL = { width: 640, height: 1280, fit: 'inside', withoutEnlargement: true } as const
const PREVIEW = { width: 2048, height: 2048, fit: 'inside', withoutEnlargement: true } as const
const HASH = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const
const DECODE_SECONDS = 60

/** The picture in the file cannot be decoded. */
export class DamagedPhoto extends Error {
  override name = 'DamagedPhoto'
}

export interface Renditions {
  /** Pixels of the original after orientation. */
  width: number
  height: number
  /** WebP, sRGB, upright, without metadata. */
  thumbnail: Buffer
  preview: Buffer
  /** Base64 of the thumbhash. */
  thumbhash: string
}

/** Threads of libvips, for a container of two cores in which two photos are processed at once. */
export function tuneSharp(): void {
  sharp.concurrency(1)
  sharp.cache(false)
}

/** Oddities in files of real cameras that cost no pixel. */
const HARMLESS = /extraneous bytes before marker|Invalid SOS parameters/

/** Decodes once, upright and in sRGB, at the size of the preview: the others are made of that. */
async function decode(
  original: Buffer,
  maxPixels: number,
  failOn: 'warning' | 'error' = 'warning',
): Promise<{ size: { width: number; height: number }; pixels: Sharp }> {
  const source = sharp(original, { failOn, limitInputPixels: maxPixels, sequentialRead: true })
  try {
    const { autoOrient } = await source.metadata()
    const { data, info } = await source
      .timeout({ seconds: DECODE_SECONDS })
      .autoOrient()
      .resize(PREVIEW)
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { size: autoOrient, pixels: sharp(data, { raw: info }) }
  } catch (error) {
    if (failOn === 'warning' && HARMLESS.test(String(error))) return decode(original, maxPixels, 'error')
    throw new DamagedPhoto('the picture cannot be decoded', { cause: error })
  }
}

/**
 * Makes thumbnail, preview and thumbhash of an original.
 * @throws DamagedPhoto when the original cannot be decoded
 */
export async function makeRenditions(original: Buffer, maxPixels: number): Promise<Renditions> {
  const { size, pixels } = await decode(original, maxPixels)
  const [preview, thumbnail, hash] = await Promise.all([
    pixels.clone().webp({ quality: 80 }).toBuffer(),
    pixels.clone().resize(THUMBNAIL).webp({ quality: 75 }).toBuffer(),
    pixels.clone().resize(HASH).ensureAlpha().raw().toBuffer({ resolveWithObject: true }),
  ])
  const thumbhash = Buffer.from(rgbaToThumbHash(hash.info.width, hash.info.height, hash.data)).toString('base64')
  return { ...size, preview, thumbnail, thumbhash }
}
