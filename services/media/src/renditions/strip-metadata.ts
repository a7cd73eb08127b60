import type { Format } from '@skyfolio/proto'
import { readOrientation } from './exif-orientation.ts'
import { DamagedImageError, type RenderOptions } from './render-image.ts'
import { stripJpeg } from './strip-jpeg.ts'
import { stripPng } from './strip-png.ts'
import { stripTiff } from './strip-tiff.ts'
import type { StrippedImage } from './stripped-image.ts'

function cut(bytes: Buffer, format: Format): StrippedImage {
  if (format === 'jpg') return stripJpeg(bytes)
  if (format === 'png') return stripPng(bytes)
  return { bytes: format === 'tif' ? stripTiff(bytes) : bytes, exif: undefined }
}

/**
 * What a decoder is given of a file: no metadata, which small files can make take minutes to parse (libexif, and
 * libtiff with tags that it does not know). The orientation that stood there comes along in the options, unless they
 * had one. What was cut before stays as it is.
 * @throws DamagedImageError when the file has more parts than any picture
 */
export async function stripMetadata(
  bytes: Buffer,
  o: RenderOptions,
): Promise<{ bytes: Buffer; options: RenderOptions }> {
  try {
    const picture = cut(bytes, o.format)
    const found = picture.exif && (await readOrientation(picture.exif))
    return { bytes: picture.bytes, options: { ...o, orientation: o.orientation ?? found } }
  } catch (error) {
    throw new DamagedImageError('the picture cannot be decoded', { cause: error })
  }
}
