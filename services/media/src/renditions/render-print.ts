import sharp from 'sharp'
import { DECODE_SECONDS } from '../formats/decoding-cost.ts'
import { type ImageSize, turnedSize } from '../formats/image-scanner.ts'
import { type PrintTarget, planPrint, toStoredRegion } from './print-plan.ts'
import { decodeStrictly, type FailOn, openImage, type RenderOptions, rotateUpright, toSrgb } from './render-image.ts'

export interface PrintResult extends ImageSize {
  /** JPEG, sRGB, upright, without metadata and without a profile. */
  jpeg: Buffer
  /** Pixels of the original, upright. */
  source: ImageSize
}

/** Paper is white. */
const BACKGROUND = '#ffffff'
const JPEG = { quality: 90, chromaSubsampling: '4:4:4' }

/**
 * Renders an image without metadata (see strip-metadata.ts) for a print or a proof. Not for a DNG.
 * @throws NotPrintableError; DamagedImageError when it cannot be decoded, SlowImageError when that takes longer than a minute;
 * UnsupportedImageError
 */
export async function renderPrint(bytes: Buffer, options: RenderOptions, target: PrintTarget): Promise<PrintResult> {
  const decoded = await decodeStrictly(options.format, (failOn) => decodeRegion(bytes, options, target, failOn))
  const { data, info, orientation, source } = decoded
  const upright = rotateUpright(sharp(data, { raw: info }), orientation).flatten({ background: BACKGROUND })
  const jpeg = await upright.jpeg(JPEG).toBuffer({ resolveWithObject: true })
  return { jpeg: jpeg.data, width: jpeg.info.width, height: jpeg.info.height, source }
}

/** Decodes the region at the size of the result, in sRGB and as stored: only these pixels are held and rotated. */
async function decodeRegion(bytes: Buffer, options: RenderOptions, target: PrintTarget, failOn: FailOn) {
  const { image } = await openImage(bytes, options, failOn)
  image.timeout({ seconds: DECODE_SECONDS })
  const metadata = await image.metadata()
  const orientation = options.orientation ?? metadata.orientation ?? 1
  // Of the first frame or page.
  const stored = { width: metadata.width, height: metadata.pageHeight ?? metadata.height }
  const upright = turnedSize(stored, orientation)
  const { region, output } = planPrint(upright, target)
  const { width, height } = turnedSize(output, orientation)
  const part = toStoredRegion(region, upright, orientation)
  if (part.width < stored.width || part.height < stored.height) image.extract(part)
  image.resize({ width, height, fit: 'fill' })
  const { data, info } = await (await toSrgb(image, metadata))
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, info, orientation, source: upright }
}
