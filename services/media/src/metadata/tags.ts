import type { Format } from '@skyfolio/kit'
import type { ByteSource } from '../formats/byte-source.ts'
import { pngTags } from './png-tags.ts'
import { tiffTags } from './tiff-tags.ts'

/** EXIF and XMP stand at the beginning; what cameras put behind this is previews and depth maps. */
const JPEG_HEAD_BYTES = 1024 * 1024

/**
 * The part of a file that holds its metadata, as a small file of the same kind for the parser. Null when this kind has
 * none. Its reads are bounded, whatever the bytes say.
 * @throws only what `source` throws
 */
export async function tagsOf(source: ByteSource, format: Format): Promise<Buffer | null> {
  if (format === 'jpg') return source.read(0, JPEG_HEAD_BYTES)
  if (format === 'png') return pngTags(source)
  return format === 'tif' || format === 'dng' ? tiffTags(source) : null
}
