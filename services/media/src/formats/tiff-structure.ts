import { type ByteSource, blockSource, ReadLimitError } from './byte-source.ts'
import { JpegScanner } from './jpeg-scanner.ts'
import {
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  TIFF_HEADER_BYTES,
  type TiffDirectory,
  type TiffHeader,
} from './tiff-directory.ts'

/** A whole JPEG within a TIFF or DNG, which the camera made for showing. */
export interface EmbeddedJpeg {
  start: number
  /** Bytes. */
  length: number
  width: number
  height: number
}

export interface TiffFacts {
  format: 'tif' | 'dng'
  /** Pixels of the picture as it is stored, before `orientation`: of a TIFF the first page, of a DNG the raw image. 0 when there is none. */
  width: number
  height: number
  /** As in EXIF, 1 to 8. */
  orientation: number
  pages: number
  /** Whether all that the file says it has lies in it. */
  complete: boolean
  /** A camera's raw file that is no DNG, though its structure is that of a TIFF. */
  foreignRaw: boolean
  /** The largest first. */
  previews: EmbeddedJpeg[]
}

const TAG = {
  newSubfileType: 254,
  subfileType: 255,
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  stripBytes: 279,
  tileOffsets: 324,
  tileBytes: 325,
  subDirectories: 330,
  jpegTables: 347,
  jpegStart: 513,
  jpegLength: 514,
  cfaPattern: 33422,
  dngVersion: 50706,
} as const

/** What a sensor saw, not colours: CFA and LinearRaw. */
const SENSOR_PHOTOMETRICS = [32803, 34892]
const JPEG_COMPRESSIONS = [6, 7]
const MAX_DIRECTORIES = 300
const MAX_SUBDIRECTORIES = 32
const MAX_PREVIEWS = 16
/** Blocks of 64 KB; what is not reached by then stays unchecked. */
const MAX_BLOCKS = 1000
const PARTS_AT_ONCE = 4096
/** The frame header of an embedded JPEG stands in its first bytes, behind its own metadata. */
const JPEG_HEAD_BYTES = 65_536

interface Image {
  width: number
  height: number
  /** A smaller version of another image. */
  reduced: boolean
  orientation: number | undefined
  sensor: boolean
  hasPixels: boolean
  isDng: boolean
  inChain: boolean
}

/** Walks a file's directories: the chain of pages, and the images below each. */
class TiffWalk {
  readonly images: Image[] = []
  readonly previews: EmbeddedJpeg[] = []
  complete = true
  readonly #source: ByteSource
  readonly #layout: TiffHeader
  readonly #seen = new Set<number>()

  constructor(source: ByteSource, layout: TiffHeader) {
    this.#source = source
    this.#layout = layout
  }

  async run(): Promise<void> {
    let next = this.#layout.firstDirectory
    if (next === 0) this.complete = false
    while (next !== 0 && this.#isNew(next)) {
      const directory = await this.#visit(next, true)
      if (!directory) return
      const below = await this.#values(directory, TAG.subDirectories, MAX_SUBDIRECTORIES)
      for (const start of below) if (this.#isNew(start)) await this.#visit(start, false)
      next = directory.next
    }
  }

  #isNew(start: number): boolean {
    if (this.#seen.has(start) || this.#seen.size >= MAX_DIRECTORIES) return false
    this.#seen.add(start)
    return true
  }

  #values(directory: TiffDirectory, tag: number, limit: number, from = 0): Promise<number[]> {
    return readTagIntegers(this.#source, this.#layout, directory, tag, limit, from)
  }

  async #value(directory: TiffDirectory, tag: number): Promise<number | undefined> {
    const [value] = await this.#values(directory, tag, 1)
    return value
  }

  async #visit(start: number, inChain: boolean): Promise<TiffDirectory | null> {
    const directory = await readTiffDirectory(this.#source, this.#layout, start)
    if (!directory) {
      this.complete = false
      return null
    }
    if (directory.end > this.#source.size) this.complete = false
    const value = (tag: number) => this.#value(directory, tag)
    const photometric = await value(TAG.photometric)
    const sensor = SENSOR_PHOTOMETRICS.includes(photometric ?? 0) || directory.tags.has(TAG.cfaPattern)
    this.images.push({
      width: (await value(TAG.width)) ?? 0,
      height: (await value(TAG.height)) ?? 0,
      reduced: ((await value(TAG.newSubfileType)) ?? 0) % 2 === 1 || (await value(TAG.subfileType)) === 2,
      orientation: await value(TAG.orientation),
      sensor,
      hasPixels: directory.tags.has(TAG.stripOffsets) || directory.tags.has(TAG.tileOffsets),
      isDng: directory.tags.has(TAG.dngVersion),
      inChain,
    })
    if (!sensor) await this.#findPreview(directory)
    await this.#checkParts(directory, TAG.stripOffsets, TAG.stripBytes)
    await this.#checkParts(directory, TAG.tileOffsets, TAG.tileBytes)
    await this.#checkParts(directory, TAG.jpegStart, TAG.jpegLength)
    return directory
  }

  /** Whether all strips or tiles lie in the file. Sizes may be missing in old files: then they must at least begin. */
  async #checkParts(directory: TiffDirectory, offsets: number, sizes: number): Promise<void> {
    const count = directory.tags.get(offsets)?.count ?? 0
    for (let from = 0; from < count && this.complete; from += PARTS_AT_ONCE) {
      const starts = await this.#values(directory, offsets, PARTS_AT_ONCE, from)
      const lengths = await this.#values(directory, sizes, PARTS_AT_ONCE, from)
      const all = starts.length === Math.min(PARTS_AT_ONCE, count - from)
      const inside = starts.every((start, index) => start + (lengths[index] ?? 1) <= this.#source.size)
      if (!all || !inside) this.complete = false
    }
  }

  async #findPreview(directory: TiffDirectory): Promise<void> {
    if (this.previews.length >= MAX_PREVIEWS) return
    const [start, length] = await this.#jpegPlace(directory)
    if (start === undefined || length === undefined || start + length > this.#source.size) return
    const scanner = new JpegScanner()
    const head = await this.#source.read(start, Math.min(length, JPEG_HEAD_BYTES))
    if (!JpegScanner.matches(head)) return
    scanner.push(head)
    const { size } = scanner
    if (!size || size.width * size.height === 0 || scanner.lossless) return
    this.previews.push({ start, length, ...size })
  }

  /** Where the directory's picture stands as one JPEG with all its tables, if it does. */
  async #jpegPlace(directory: TiffDirectory): Promise<[start?: number, length?: number]> {
    const { tags } = directory
    if (tags.has(TAG.jpegStart)) {
      return [await this.#value(directory, TAG.jpegStart), await this.#value(directory, TAG.jpegLength)]
    }
    const compression = (await this.#value(directory, TAG.compression)) ?? 0
    const isWhole = JPEG_COMPRESSIONS.includes(compression) && !tags.has(TAG.jpegTables)
    if (!isWhole || tags.get(TAG.stripOffsets)?.count !== 1) return []
    return [await this.#value(directory, TAG.stripOffsets), await this.#value(directory, TAG.stripBytes)]
  }
}

/** The picture that the file is about: of a DNG, or behind a small first page, the largest that is no smaller version. */
function mainImage(images: Image[], isDng: boolean): Image | undefined {
  const [first] = images
  if (first && !isDng && !first.reduced) return first
  const full = images.filter(({ reduced }) => !reduced)
  return full.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]
}

/**
 * Reads the structure of a TIFF or DNG (classic or BigTIFF, either byte order) by its directories. The number and size
 * of its reads are bounded, whatever the bytes say; bytes that are no TIFF have no picture and are not complete.
 * @throws only what `source` throws
 */
export async function readTiff(source: ByteSource): Promise<TiffFacts> {
  const blocks = blockSource(source, MAX_BLOCKS)
  const head = await blocks.read(0, TIFF_HEADER_BYTES)
  const layout = readTiffHeader(head)
  const walk = new TiffWalk(blocks, layout ?? { littleEndian: true, isBigTiff: false, firstDirectory: 0 })
  try {
    await walk.run()
  } catch (error) {
    if (!(error instanceof ReadLimitError)) throw error
  }
  const { images, previews } = walk
  const isDng = images[0]?.isDng ?? false
  const main = mainImage(images, isDng)
  const isCr2 = layout?.isBigTiff === false && head.toString('latin1', 8, 10) === 'CR'
  return {
    format: isDng ? 'dng' : 'tif',
    width: main?.width ?? 0,
    height: main?.height ?? 0,
    orientation: main?.orientation ?? images[0]?.orientation ?? 1,
    pages: images.filter(({ inChain, reduced }) => inChain && !reduced).length,
    complete: walk.complete && (main?.hasPixels ?? false),
    foreignRaw: !isDng && (isCr2 || images.some(({ sensor }) => sensor)),
    previews: previews.toSorted((a, b) => b.width * b.height - a.width * a.height),
  }
}
