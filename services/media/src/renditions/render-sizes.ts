import sharp from 'sharp'
import { DamagedImageError, DECODE_SECONDS } from './render-image.ts'
import { encodeIfAny, PREVIEW, type RawImage, resizePreview, type Sizes } from './sizes.ts'

/** The renditions that photos of earlier releases lack. */
export type LackingSizes = Omit<Sizes<Buffer>, 'thumbnail'>

/**
 * Renders the lacking sizes from a stored preview.
 * @throws DamagedImageError when the preview cannot be decoded, another error when that takes longer than a minute
 */
export async function renderSizes(preview: Buffer): Promise<LackingSizes> {
  const { small, medium } = await resizePreview(await decode(preview))
  // One after another, as all renditions of a photo.
  return { medium: await encodeIfAny(medium, 'medium'), small: await encodeIfAny(small, 'small') }
}

async function decode(preview: Buffer): Promise<RawImage> {
  try {
    return await sharp(preview, { failOn: 'warning', limitInputPixels: PREVIEW.width * PREVIEW.height })
      .timeout({ seconds: DECODE_SECONDS })
      .raw()
      .toBuffer({ resolveWithObject: true })
  } catch (error) {
    if (/timeout: \d+% complete/.test(String(error))) throw error
    throw new DamagedImageError('the preview cannot be decoded', { cause: error })
  }
}
