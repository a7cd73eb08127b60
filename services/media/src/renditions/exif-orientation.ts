import { bufferSource } from '../formats/byte-source.ts'
import { readTagIntegers, readTiffDirectory, readTiffHeader } from '../formats/tiff-directory.ts'

const ORIENTATION = 274
/** Some writers leave out the place of the next directory, which the reader expects. */
const NO_NEXT = Buffer.alloc(4)

/** The orientation that EXIF tells, 1 to 8; 1 when it tells none. Only its first directory is looked at. */
export async function readOrientation(exif: Buffer): Promise<number> {
  const layout = readTiffHeader(exif)
  if (!layout) return 1
  const source = bufferSource(Buffer.concat([exif, NO_NEXT]))
  const directory = await readTiffDirectory(source, layout, layout.firstDirectory)
  const [value = 1] = directory ? await readTagIntegers(source, layout, directory, ORIENTATION, 1) : []
  return value >= 1 && value <= 8 ? value : 1
}
