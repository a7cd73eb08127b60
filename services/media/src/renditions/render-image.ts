import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata, type OutputInfo, type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { BmpScanner, MAX_BMP_PIXELS } from '../formats/bmp-scanner.ts'
import { DECODE_SECONDS } from '../formats/decoding-cost.ts'
import { type ImageSize, turnedSize } from '../formats/image-scanner.ts'
import { fitInto, NotPrintableError } from './print-plan.ts'
import { openTiff, UnsupportedImageError } from './tiff-picture.ts'

const HASH = inside({ width: 100, height: 100 })
/** Warnings about JPEGs of real cameras that affect no pixel. */
const HARMLESS = /extraneous bytes before marker|Invalid SOS parameters/

/** The image in the file cannot be decoded. */
export class DamagedImageError extends Error {
  override name = 'DamagedImageError'
}

/** Decoding took longer than `DECODE_SECONDS`. */
export class SlowImageError extends Error {
  override name = 'SlowImageError'
}

export interface RenderOptions {
  format: Format
  maxPixels: number
  /** As in EXIF, 1 to 8; by default that of the tags of a TIFF. */
  orientation?: number | undefined
}

/** Renditions are WebP, sRGB, upright, without metadata. Width and height are the pixels of the original, upright. */
export interface RenderResult extends ImageSize {
  preview: Buffer
  /** Null: it would be no smaller than the next larger one. */
  medium: Buffer | null
  thumbnail: Buffer
  small: Buffer | null
  /** Base64 of the thumbhash. */
  thumbhash: string
  /** How the renditions differ from what the file holds: a sentence for the user. Null: they do not. */
  note: string | null
}

/** Sets the threads of libvips, for a container of two cores that processes two photos at once. */
export function configureSharp(): void {
  sharp.concurrency(1)
  sharp.cache(false)
}

/**
 * Renders all sizes and the thumbhash of an image without metadata (see strip-metadata.ts). Of a DNG, which holds sensor
 * data, it is given the preview.
 * @throws DamagedImageError when the image cannot be decoded, SlowImageError when that takes longer than a minute; UnsupportedImageError
 */
export async function renderImage(bytes: Buffer, options: RenderOptions): Promise<RenderResult> {
  const { size, pixels, note } = await decode(bytes, options)
  // One after another: a photo uses one of the few threads that files and connections need too.
  const preview = await encode(pixels, 'preview')
  // Each size from the next larger one, which is twice as fast as each from the preview. How large it is follows from the
  // preview: the size in between is rounded already.
  const reduce = (image: RawImage, bounds: ImageSize) => resize(image, fitInto(bounds, pixels.info))
  const medium = isLarger(pixels, MEDIUM) ? await reduce(pixels, MEDIUM) : null
  const thumbnail = await reduce(medium ?? pixels, THUMBNAIL)
  const small = isLarger(thumbnail, SMALL) ? await reduce(thumbnail, SMALL) : null
  return {
    ...size,
    preview,
    medium: medium && (await encode(medium, 'medium')),
    thumbnail: await encode(thumbnail, 'thumbnail'),
    small: small && (await encode(small, 'small')),
    thumbhash: await hash(small ?? thumbnail),
    note,
  }
}

/** The thumbhash of an image, in Base64. */
async function hash(image: RawImage): Promise<string> {
  const tiny = await open(image).resize(HASH).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(tiny.info.width, tiny.info.height, tiny.data)).toString('base64')
}

export type FailOn = 'warning' | 'error'

/** Opens an image without metadata. `note` is that of the renditions. @throws the error of the decoder; UnsupportedImageError */
export async function openImage(
  bytes: Buffer,
  { format, maxPixels }: RenderOptions,
  failOn: FailOn,
): Promise<{ image: Sharp; note: string | null }> {
  if (format === 'bmp') {
    const { data, ...raw } = await decodeBmp(bytes)
    return { image: sharp(data, { raw }), note: null }
  }
  const options = { failOn, limitInputPixels: maxPixels, sequentialRead: true }
  const picture = format === 'tif' ? await openTiff(bytes, options) : null
  if (!picture) return { image: sharp(bytes, options), note: null }
  return { image: sharp(picture.data, { raw: picture.raw }), note: picture.note }
}

/** Applies an EXIF orientation; sharp mirrors before it rotates. */
export function rotateUpright(image: Sharp, orientation: number | undefined): Sharp {
  if (orientation === undefined) return image.autoOrient()
  const angle = { 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation] ?? 0
  return image.flop([2, 4, 5, 7].includes(orientation)).rotate(angle)
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
): Promise<{ size: ImageSize; pixels: RawImage; note: string | null }> {
  return decodeStrictly(options.format, async (failOn) => {
    const { image: source, note } = await openImage(bytes, options, failOn)
    const metadata = await source.metadata()
    // Rotated after it is resized, which is cheaper; the preview fits into a square, so the order makes no difference.
    const preview = source.timeout({ seconds: DECODE_SECONDS }).resize(inside(PREVIEW))
    const small = await toSrgb(rotateUpright(preview, options.orientation), metadata)
    const pixels = await small.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const { orientation } = options
    const size = orientation === undefined ? metadata.autoOrient : turnedSize(metadata, orientation)
    return { size, pixels, note }
  })
}

/**
 * Runs `work`, which decodes an image, so that broken pixels are errors and harmless oddities are not.
 * @throws DamagedImageError when the image cannot be decoded, SlowImageError when that takes longer than a minute; what says that it is
 * not to be shown or printed
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
    if (error instanceof NotPrintableError || error instanceof UnsupportedImageError) throw error
    if (failOn === 'warning' && HARMLESS.test(String(error))) return decodeStrictly(format, work, 'error')
    // Possibly the fault of a busy machine, not of the image.
    if (/timeout: \d+% complete/.test(String(error))) throw new SlowImageError(`not decoded in ${DECODE_SECONDS} s`)
    throw new DamagedImageError('the image cannot be decoded', { cause: error })
  }
}

/** Pixels, and how many of them. */
interface RawImage {
  data: Buffer
  info: OutputInfo
}

const PREVIEW: ImageSize = { width: 2048, height: 2048 }
/** Widths for a card on screens of single and double density, and for a phone. The heights bound upright panoramas. */
const SMALL: ImageSize = { width: 320, height: 640 }
const THUMBNAIL: ImageSize = { width: 640, height: 1280 }
const MEDIUM: ImageSize = { width: 1280, height: 2048 }

/** How an image is reduced to fit into `size`. */
function inside(size: ImageSize) {
  return { ...size, fit: 'inside', withoutEnlargement: true } as const
}

function isLarger({ info }: RawImage, { width, height }: ImageSize): boolean {
  return info.width > width || info.height > height
}

function resize(image: RawImage, size: ImageSize): Promise<RawImage> {
  return open(image)
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
}

function open({ data, info }: RawImage) {
  return sharp(data, { raw: info })
}

/** A small image is shown pixel by pixel, a medium one on screens whose pixels are too fine for its artefacts. */
const QUALITY = { small: 80, thumbnail: 75, medium: 65, preview: 80 }
export type Rendition = keyof typeof QUALITY

/** Encodes a rendition as WebP. */
function encode(image: RawImage, rendition: Rendition): Promise<Buffer> {
  return open(image).webp({ quality: QUALITY[rendition] }).toBuffer()
}

/**
 * Decodes a BMP, which sharp cannot read: every depth, both row orders, run lengths.
 * @throws when it is damaged, or has more pixels than may be held in memory
 */
async function decodeBmp(bytes: Buffer) {
  const scanner = new BmpScanner()
  scanner.push(bytes)
  const { width, height } = scanner.size ?? { width: 0, height: 0 }
  const pixels = width * height
  if (pixels === 0 || pixels > MAX_BMP_PIXELS) throw new Error(`a BMP of ${width} x ${height} pixels`)
  // Loaded on demand: BMPs are rare, and rendered in an isolated process.
  const { Transformer } = await import('@napi-rs/image')
  const data = await new Transformer(bytes).rawPixels()
  const channels = data.length / pixels
  if (channels !== 3 && channels !== 4) throw new Error(`a BMP of ${channels} channels`)
  if (channels === 4) fillEmptyAlpha(data)
  return { data, width, height, channels } as const
}

/** Programs that know no transparency leave the fourth byte of a pixel 0: if all are, the picture is opaque. */
function fillEmptyAlpha(pixels: Buffer): void {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) return
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255
}
