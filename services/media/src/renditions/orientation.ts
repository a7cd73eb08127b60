import { bytesInMemory } from '../formats/byte-source.ts'
import { readDirectory, readLayout, readValues } from '../formats/tiff-directory.ts'

const ORIENTATION = 274
/** Some writers leave out the place of the next directory, which the reader expects. */
const NO_NEXT = Buffer.alloc(4)

/** The orientation that EXIF tells, 1 to 8; 1 when it tells none. Only its first directory is looked at. */
export async function orientationIn(exif: Buffer): Promise<number> {
  const layout = readLayout(exif)
  if (!layout) return 1
  const source = bytesInMemory(Buffer.concat([exif, NO_NEXT]))
  const directory = await readDirectory(source, layout, layout.first)
  const [value = 1] = directory ? await readValues(source, layout, directory, ORIENTATION, 1) : []
  return value >= 1 && value <= 8 ? value : 1
}
