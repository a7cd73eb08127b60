import { bufferSource } from '../formats/byte-source.ts'
import { readTagIntegers, readTiffDirectory, readTiffHeader } from '../formats/tiff-directory.ts'

const ORIENTATION = 274

/** The orientation in EXIF, 1 to 8; 1 when it has none. Only the first directory is read. */
export async function readOrientation(exif: Buffer): Promise<number> {
  const header = readTiffHeader(exif)
  if (!header) return 1
  const source = bufferSource(exif)
  const directory = await readTiffDirectory(source, header, header.firstDirectory)
  // The offset of the next directory may be missing: some writers omit it.
  const [value = 1] = directory.isWhole ? await readTagIntegers(source, header, directory, ORIENTATION, 1) : []
  return value >= 1 && value <= 8 ? value : 1
}
