import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { decodeBmp } from './decode-bmp.ts'

/** Wide enough for a card on a screen with double density; the height bounds panoramas on end. */
const THUMBNAIL = { width: 640, height: 1280, fit: 'inside', withoutEnlargement: true } as const
const PREVIEW = { width: 2048, height: 2048, fit: 'inside', withoutEnlargement: true } as const
const HASH = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const
const DECODE_SECONDS = 60

/** The picture in the file cannot be decoded. */
export class DamagedImageError extends Error {
  override name = 'DamagedImageError'
}

export interface RenderOptions {
  format: Format
  maxPixels: number
  /** As in EXIF, 1 to 8; what the tags of a TIFF say otherwise. */
  orientation?: number | undefined
}

export interface RenderResult {
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
export function configureSharp(): void {
  sharp.concurrency(1)
  sharp.cache(false)
}

/** Oddities in JPEGs of real cameras that cost no pixel. */
const HARMLESS = /extraneous bytes before marker|Invalid SOS parameters/

type FailOn = 'warning' | 'error'

async function open(bytes: Buffer, { format, maxPixels }: RenderOptions, failOn: FailOn): Promise<Sharp> {
  if (format !== 'bmp') return sharp(bytes, { failOn, limitInputPixels: maxPixels, sequentialRead: true })
  const { data, ...raw } = await decodeBmp(bytes)
  return sharp(data, { raw })
}

/** Stands the picture up as an EXIF orientation says; sharp mirrors before it turns. */
function turned(picture: Sharp, orientation: number | undefined): Sharp {
  if (orientation === undefined) return picture.autoOrient()
  const angle = { 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation] ?? 0
  return picture.flop([2, 4, 5, 7].includes(orientation)).rotate(angle)
}

/** Pixels when it stands upright. */
function sizeOf({ width, height, autoOrient }: Metadata, orientation: number | undefined) {
  if (orientation === undefined) return autoOrient
  return orientation > 4 ? { width: height, height: width } : { width, height }
}

/**
 * The picture of what sharp converts only in parts: of 16 bits with a profile it stops at Display P3, and it does not
 * look at the profile of 16 bits of grey. The latter goes by way of 8 bits, with its profile.
 */
async function toSrgb(small: Sharp, { icc, depth, space }: Metadata): Promise<Sharp> {
  if (!icc || depth === 'uchar') return small
  if (space !== 'grey16') return small.withIccProfile('srgb')
  return sharp(await small.toColourspace('b-w').keepIccProfile().png({ compressionLevel: 1 }).toBuffer())
}

/** Decodes once, upright and in sRGB, at the size of the preview: the others are made of that. */
async function decode(
  bytes: Buffer,
  o: RenderOptions,
  // JPEG's decoder calls broken pixels warnings, the others call them errors.
  failOn: FailOn = o.format === 'jpg' ? 'warning' : 'error',
): Promise<{ size: { width: number; height: number }; pixels: Sharp }> {
  try {
    const source = await open(bytes, o, failOn)
    const metadata = await source.metadata()
    // Turned when it is small; of a square it makes no difference when.
    const preview = source.timeout({ seconds: DECODE_SECONDS }).resize(PREVIEW)
    const small = await toSrgb(turned(preview, o.orientation), metadata)
    const { data, info } = await small
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { size: sizeOf(metadata, o.orientation), pixels: sharp(data, { raw: info }) }
  } catch (error) {
    if (failOn === 'warning' && HARMLESS.test(String(error))) return decode(bytes, o, 'error')
    // A busy machine's fault, perhaps, and not the picture's.
    if (/timeout: \d+% complete/.test(String(error))) throw error
    throw new DamagedImageError('the picture cannot be decoded', { cause: error })
  }
}

/**
 * Makes thumbnail, preview and thumbhash of a picture without metadata (see bare.ts); not of a DNG, which holds no
 * picture but a sensor's data.
 * @throws DamagedImageError when the picture cannot be decoded, another error when that takes longer than a minute
 */
export async function renderImage(bytes: Buffer, o: RenderOptions): Promise<RenderResult> {
  const { size, pixels } = await decode(bytes, o)
  // One after another: a photo takes one of the few threads that files and connections need too.
  const preview = await pixels.clone().webp({ quality: 80 }).toBuffer()
  const small = await pixels.resize(THUMBNAIL).raw().toBuffer({ resolveWithObject: true })
  const smallPixels = sharp(small.data, { raw: small.info })
  const thumbnail = await smallPixels.clone().webp({ quality: 75 }).toBuffer()
  const hash = await smallPixels.resize(HASH).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const thumbhash = Buffer.from(rgbaToThumbHash(hash.info.width, hash.info.height, hash.data)).toString('base64')
  return { ...size, preview, thumbnail, thumbhash }
}
