import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { decodeBmp } from './decode-bmp.ts'
import { NotPrintableError } from './print-plan.ts'

/** Wide enough for a card on a screen with double density; the height bounds upright panoramas. */
const THUMBNAIL = { width: 640, height: 1280, fit: 'inside', withoutEnlargement: true } as const
const PREVIEW = { width: 2048, height: 2048, fit: 'inside', withoutEnlargement: true } as const
const HASH = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const
export const DECODE_SECONDS = 60
/** Warnings about JPEGs of real cameras that affect no pixel. */
const HARMLESS = /extraneous bytes before marker|Invalid SOS parameters/

/** The image in the file cannot be decoded. */
export class DamagedImageError extends Error {
  override name = 'DamagedImageError'
}

export interface RenderOptions {
  format: Format
  maxPixels: number
  /** As in EXIF, 1 to 8; by default that of the tags of a TIFF. */
  orientation?: number | undefined
}

export interface RenderResult {
  /** Pixels of the original, upright. */
  width: number
  height: number
  /** WebP, sRGB, upright, without metadata. */
  thumbnail: Buffer
  preview: Buffer
  /** Base64 of the thumbhash. */
  thumbhash: string
}

/** Sets the threads of libvips, for a container of two cores that processes two photos at once. */
export function configureSharp(): void {
  sharp.concurrency(1)
  sharp.cache(false)
}

/**
 * Renders thumbnail, preview and thumbhash of an image without metadata (see strip-metadata.ts). Not for a DNG, which
 * holds sensor data.
 * @throws DamagedImageError when the image cannot be decoded, another error when that takes longer than a minute
 */
export async function renderImage(bytes: Buffer, options: RenderOptions): Promise<RenderResult> {
  const { size, pixels } = await decode(bytes, options)
  // One after another: a photo uses one of the few threads that files and connections need too.
  const preview = await pixels.clone().webp({ quality: 80 }).toBuffer()
  const small = await pixels.resize(THUMBNAIL).raw().toBuffer({ resolveWithObject: true })
  const smallPixels = sharp(small.data, { raw: small.info })
  const thumbnail = await smallPixels.clone().webp({ quality: 75 }).toBuffer()
  const hash = await smallPixels.resize(HASH).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const thumbhash = Buffer.from(rgbaToThumbHash(hash.info.width, hash.info.height, hash.data)).toString('base64')
  return { ...size, preview, thumbnail, thumbhash }
}

export type FailOn = 'warning' | 'error'

/** Opens an image without metadata. */
export async function openImage(bytes: Buffer, { format, maxPixels }: RenderOptions, failOn: FailOn): Promise<Sharp> {
  if (format !== 'bmp') return sharp(bytes, { failOn, limitInputPixels: maxPixels, sequentialRead: true })
  const { data, ...raw } = await decodeBmp(bytes)
  return sharp(data, { raw })
}

/** Applies an EXIF orientation; sharp mirrors before it rotates. */
export function rotateUpright(image: Sharp, orientation: number | undefined): Sharp {
  if (orientation === undefined) return image.autoOrient()
  const angle = { 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation] ?? 0
  return image.flop([2, 4, 5, 7].includes(orientation)).rotate(angle)
}

/** Pixels of the upright image. */
function uprightSize({ width, height, autoOrient }: Metadata, orientation: number | undefined) {
  if (orientation === undefined) return autoOrient
  return orientation > 4 ? { width: height, height: width } : { width, height }
}

/**
 * Completes what sharp converts only partly: images of 16 bits with a profile end in Display P3, and the profile of
 * 16-bit grey is ignored. The latter is converted to 8 bits first, with its profile.
 */
export async function toSrgb(small: Sharp, { icc, depth, space }: Metadata): Promise<Sharp> {
  if (!icc || depth === 'uchar') return small
  if (space !== 'grey16') return small.withIccProfile('srgb')
  return sharp(await small.toColourspace('b-w').keepIccProfile().png({ compressionLevel: 1 }).toBuffer())
}

/** Decodes once, upright and in sRGB, at the size of the preview, from which the others are made. */
function decode(
  bytes: Buffer,
  options: RenderOptions,
): Promise<{ size: { width: number; height: number }; pixels: Sharp }> {
  return decodeStrictly(options.format, async (failOn) => {
    const source = await openImage(bytes, options, failOn)
    const metadata = await source.metadata()
    // Rotated after it is resized, which is cheaper; the preview fits into a square, so the order makes no difference.
    const preview = source.timeout({ seconds: DECODE_SECONDS }).resize(PREVIEW)
    const small = await toSrgb(rotateUpright(preview, options.orientation), metadata)
    const { data, info } = await small
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { size: uprightSize(metadata, options.orientation), pixels: sharp(data, { raw: info }) }
  })
}

/**
 * Runs `work`, which decodes an image, so that broken pixels are errors and harmless oddities are not.
 * @throws DamagedImageError when the image cannot be decoded, another error when that takes longer than a minute
 */
export async function decodeStrictly<T>(
  format: Format,
  work: (failOn: FailOn) => Promise<T>,
  // The JPEG decoder reports broken pixels as warnings, the others as errors.
  failOn: FailOn = format === 'jpg' ? 'warning' : 'error',
): Promise<T> {
  try {
    return await work(failOn)
  } catch (error) {
    if (error instanceof NotPrintableError) throw error
    if (failOn === 'warning' && HARMLESS.test(String(error))) return decodeStrictly(format, work, 'error')
    // Possibly the fault of a busy machine, not of the image.
    if (/timeout: \d+% complete/.test(String(error))) throw error
    throw new DamagedImageError('the image cannot be decoded', { cause: error })
  }
}
