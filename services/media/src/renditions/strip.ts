import type { Format } from '@skyfolio/kit'
import { orientationIn } from './orientation.ts'
import { DamagedPhoto, type DrawingOptions } from './render.ts'
import { bareJpeg } from './strip-jpeg.ts'
import { barePng } from './strip-png.ts'
import { bareTiff } from './strip-tiff.ts'
import type { BarePicture } from './stripped-image.ts'

function cut(bytes: Buffer, format: Format): BarePicture {
  if (format === 'jpg') return bareJpeg(bytes)
  if (format === 'png') return barePng(bytes)
  return { bytes: format === 'tif' ? bareTiff(bytes) : bytes, exif: undefined }
}

/**
 * What a decoder is given of a file: no metadata, which small files can make take minutes to parse (libexif, and
 * libtiff with tags that it does not know). The orientation that stood there comes along in the options, unless they
 * had one. What was cut before stays as it is.
 * @throws DamagedPhoto when the file has more parts than any picture
 */
export async function bare(bytes: Buffer, o: DrawingOptions): Promise<{ bytes: Buffer; options: DrawingOptions }> {
  try {
    const picture = cut(bytes, o.format)
    const found = picture.exif && (await orientationIn(picture.exif))
    return { bytes: picture.bytes, options: { ...o, orientation: o.orientation ?? found } }
  } catch (error) {
    throw new DamagedPhoto('the picture cannot be decoded', { cause: error })
  }
}
