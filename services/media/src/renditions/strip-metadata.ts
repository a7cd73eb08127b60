import type { Format } from '@skyfolio/proto'
import { readOrientation } from './exif-orientation.ts'
import { DamagedImageError, type RenderOptions } from './render-image.ts'
import { stripJpeg } from './strip-jpeg.ts'
import { stripPng } from './strip-png.ts'
import { stripTiff } from './strip-tiff.ts'
import type { StrippedImage } from './stripped-image.ts'

/**
 * Removes the metadata of a file before it is decoded: small files can make parsing it take minutes (libexif, and
 * libtiff with tags that it does not know). The EXIF orientation is returned in the options, unless they have one.
 * Stripping twice changes nothing.
 * @throws DamagedImageError when the file has more parts than any image
 */
export async function stripMetadata(
  bytes: Buffer,
  options: RenderOptions,
): Promise<{ bytes: Buffer; options: RenderOptions }> {
  try {
    const image = await strip(bytes, options.format)
    const found = image.exif && (await readOrientation(image.exif))
    return { bytes: image.bytes, options: { ...options, orientation: options.orientation ?? found } }
  } catch (error) {
    throw new DamagedImageError('the image cannot be decoded', { cause: error })
  }
}

async function strip(bytes: Buffer, format: Format): Promise<StrippedImage> {
  if (format === 'jpg') return stripJpeg(bytes)
  if (format === 'png') return stripPng(bytes)
  return { bytes: format === 'tif' ? await stripTiff(bytes) : bytes, exif: undefined }
}
