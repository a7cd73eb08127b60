import type { Format } from '@skyfolio/proto'
import type { ByteSource } from '../formats/byte-source.ts'
import { extractJpegTags } from './extract-jpeg-tags.ts'
import { extractPngTags } from './extract-png-tags.ts'
import { extractTiffTags } from './extract-tiff-tags.ts'

/**
 * The part of a file that holds its metadata, as a small file of the same kind for the parser. Null when this kind has
 * none. What is read and what comes out are bounded, whatever the bytes say.
 * @throws only what `source` throws
 */
export async function extractTags(source: ByteSource, format: Format): Promise<Buffer | null> {
  if (format === 'jpg') return extractJpegTags(source)
  if (format === 'png') return extractPngTags(source)
  return format === 'tif' || format === 'dng' ? extractTiffTags(source) : null
}
