import type { AppError } from '@skyfolio/kit'
import type { Format } from '@skyfolio/proto'
import type { ByteSource } from '../formats/byte-source.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { readTiff } from '../formats/tiff-structure.ts'
import { incompleteFile, tooManyParts, unsupportedFormat } from './rejections.ts'

/** Checks a stored TIFF or DNG. Its directories can be anywhere in the file, so they are read from the store. */
export async function inspectTiff(
  source: ByteSource,
  name: string,
): Promise<{ format: Format; dimensions: ImageSize } | { format: Format | null; rejection: AppError }> {
  const { isForeignRaw, isComplete, hasTooManyParts, format, width, height } = await readTiff(source)
  if (isForeignRaw) return { format: null, rejection: unsupportedFormat(name) }
  if (hasTooManyParts) return { format, rejection: tooManyParts(name) }
  return isComplete ? { format, dimensions: { width, height } } : { format, rejection: incompleteFile(name, format) }
}
