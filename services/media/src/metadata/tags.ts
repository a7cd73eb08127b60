import type { Format } from '@skyfolio/kit'
import type { ByteSource } from '../formats/byte-source.ts'
import { jpegTags } from './jpeg-tags.ts'
import { pngTags } from './png-tags.ts'
import { tiffTags } from './tiff-tags.ts'

/**
 * The part of a file that holds its metadata, as a small file of the same kind for the parser. Null when this kind has
 * none. What is read and what comes out are bounded, whatever the bytes say.
 * @throws only what `source` throws
 */
export async function tagsOf(source: ByteSource, format: Format): Promise<Buffer | null> {
  if (format === 'jpg') return jpegTags(source)
  if (format === 'png') return pngTags(source)
  return format === 'tif' || format === 'dng' ? tiffTags(source) : null
}
