import type { Format } from '@skyfolio/proto'
import type { ByteSource } from '../formats/byte-source.ts'
import { extractJpegTags } from './extract-jpeg-tags.ts'
import { extractPngTags } from './extract-png-tags.ts'
import { extractTiffTags } from './extract-tiff-tags.ts'

/**
 * The metadata of a file, as a small file of the same format for the parser; null for a format without metadata. What
 * is read and what is returned are bounded, whatever the bytes say.
 * @throws only what `source` throws
 */
export async function extractTags(source: ByteSource, format: Format): Promise<Buffer | null> {
  if (format === 'jpg') return extractJpegTags(source)
  if (format === 'png') return extractPngTags(source)
  return format === 'tif' || format === 'dng' ? extractTiffTags(source) : null
}
