import { type ByteSource, limitedSource, ReadLimitError, withinLimit } from './byte-source.ts'
import { JpegScanner } from './jpeg-scanner.ts'
import {
  findEntry,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  TIFF_HEADER_BYTES,
  type TiffDirectory,
  type TiffHeader,
} from './tiff-directory.ts'

/** A complete JPEG within a TIFF or DNG, made by the camera for display. */
export interface EmbeddedJpeg {
  start: number
  /** Bytes. */
  length: number
  width: number
  height: number
}

export interface TiffFacts {
  format: 'tif' | 'dng'
  /** Pixels of the main image as stored, before `orientation`: of a DNG the raw image. 0 without an image. */
  width: number
  height: number
  /** Where the directory of the main image is; null without an image. */
  directory: number | null
  /** As in EXIF, 1 to 8. */
  orientation: number
  pages: number
  /** Whether everything that the directories refer to is within the file. */
  isComplete: boolean
  /** It has more directories, offsets or values than any camera writes: it is damaged, and was not read to its end. */
  hasTooManyParts: boolean
  /** A camera's raw file with the structure of a TIFF that is no DNG. */
  isForeignRaw: boolean
  /** Largest first. */
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

/** Bits of `newSubfileType`, and the values of `subfileType` and `photometric` that mean the same. */
const REDUCED = { bit: 1, subfileType: 2 }
const MASK = { bit: 4, photometric: 4 }
/** Sensor data, not colours: CFA and LinearRaw. */
const SENSOR_PHOTOMETRICS = [32803, 34892]
const JPEG_COMPRESSIONS = [6, 7]
const MAX_SUBDIRECTORIES = 32
const MAX_PREVIEWS = 16
const PARTS_PER_READ = 4096
/** Strips and tiles together have at most so many times the bytes of the file: a decoder reads those that overlap each time. */
const MAX_OVERLAP = 2
/** The frame header of an embedded JPEG is in its first bytes, after its own metadata. */
const JPEG_HEAD_BYTES = 65_536

interface Image {
  /** Offset of its directory. */
  directory: number
  width: number
  height: number
  /** A smaller version of another image. */
  isReduced: boolean
  /** It says which pixels of another image are shown. */
  isMask: boolean
  orientation: number | undefined
  isSensorData: boolean
  hasPixels: boolean
  isDng: boolean
  inChain: boolean
}

/**
 * Reads the structure of a TIFF or DNG (classic or BigTIFF, either byte order) from its directories. What is read is
 * bounded, whatever the bytes say; bytes that are no TIFF have no image and are not complete.
 * @throws only what `source` throws
 */
export async function readTiff(source: ByteSource): Promise<TiffFacts> {
  const limited = limitedSource(source)
  const head = await limited.read(0, TIFF_HEADER_BYTES)
  const header = readTiffHeader(head)
  const walk = new TiffWalk(limited, header ?? { littleEndian: true, isBigTiff: false, firstDirectory: 0 })
  const hasTooManyParts = await withinLimit(
    walk.run().then(() => false),
    true,
  )
  const { images, previews } = walk
  const isDng = images[0]?.isDng ?? false
  const main = mainImage(images, isDng)
  const isCr2 = header?.isBigTiff === false && head.toString('latin1', 8, 10) === 'CR'
  return {
    format: isDng ? 'dng' : 'tif',
    width: main?.width ?? 0,
    height: main?.height ?? 0,
    directory: main?.directory ?? null,
    orientation: main?.orientation ?? images[0]?.orientation ?? 1,
    pages: images.filter(({ inChain, isReduced }) => inChain && !isReduced).length,
    isComplete: walk.isComplete && !hasTooManyParts && (main?.hasPixels ?? false),
    hasTooManyParts,
    isForeignRaw: !isDng && (isCr2 || images.some(({ isSensorData }) => isSensorData)),
    previews: previews.toSorted((a, b) => b.width * b.height - a.width * a.height),
  }
}

/** Visits the directories of a file: the chain of pages, and the images below each page. */
class TiffWalk {
  readonly images: Image[] = []
  readonly previews: EmbeddedJpeg[] = []
  isComplete = true
  readonly #source: ByteSource
  readonly #header: TiffHeader
  readonly #seen = new Set<number>()

  constructor(source: ByteSource, header: TiffHeader) {
    this.#source = source
    this.#header = header
  }

  async run(): Promise<void> {
    let next = this.#header.firstDirectory
    if (next === 0) this.isComplete = false
    while (next !== 0 && this.#isNew(next)) {
      const directory = await this.#visit(next, true)
      if (!directory) return
      const below = await this.#values(directory, TAG.subDirectories, MAX_SUBDIRECTORIES + 1)
      if (below.length > MAX_SUBDIRECTORIES) throw new ReadLimitError('too many images below a page')
      for (const start of below) if (this.#isNew(start)) await this.#visit(start, false)
      next = directory.next
    }
  }

  #isNew(start: number): boolean {
    if (this.#seen.has(start)) return false
    this.#seen.add(start)
    return true
  }

  #values(directory: TiffDirectory, tag: number, limit: number, from = 0): Promise<number[]> {
    return readTagIntegers(this.#source, this.#header, directory, tag, limit, from)
  }

  async #value(directory: TiffDirectory, tag: number): Promise<number | undefined> {
    const [value] = await this.#values(directory, tag, 1)
    return value
  }

  /** Reads the image of the directory at `start`. Null when the directory is not within the file. */
  async #visit(start: number, inChain: boolean): Promise<(TiffDirectory & { next: number }) | null> {
    const directory = await readTiffDirectory(this.#source, this.#header, start)
    const { isWhole, next } = directory
    if (!isWhole || next === null) {
      this.isComplete = false
      return null
    }
    if (endOfValues(directory) > this.#source.size) this.isComplete = false
    const value = (tag: number) => this.#value(directory, tag)
    const photometric = await value(TAG.photometric)
    const kind = (await value(TAG.newSubfileType)) ?? 0
    const has = (tag: number) => findEntry(directory, tag) !== undefined
    const isSensorData = SENSOR_PHOTOMETRICS.includes(photometric ?? 0) || has(TAG.cfaPattern)
    this.images.push({
      directory: start,
      width: (await value(TAG.width)) ?? 0,
      height: (await value(TAG.height)) ?? 0,
      isReduced: (kind & REDUCED.bit) > 0 || (await value(TAG.subfileType)) === REDUCED.subfileType,
      isMask: (kind & MASK.bit) > 0 || photometric === MASK.photometric,
      orientation: toOrientation(await value(TAG.orientation)),
      isSensorData,
      hasPixels: has(TAG.stripOffsets) || has(TAG.tileOffsets),
      isDng: has(TAG.dngVersion),
      inChain,
    })
    if (!isSensorData) await this.#findPreview(directory)
    await this.#checkParts(directory, TAG.stripOffsets, TAG.stripBytes)
    await this.#checkParts(directory, TAG.tileOffsets, TAG.tileBytes)
    await this.#checkParts(directory, TAG.jpegStart, TAG.jpegLength)
    return { ...directory, next }
  }

  /** Whether all strips or tiles are within the file. Old files may lack sizes: then at least their first bytes must be. */
  async #checkParts(directory: TiffDirectory, offsets: number, sizes: number): Promise<void> {
    const count = findEntry(directory, offsets)?.count ?? 0
    let bytes = 0
    for (let from = 0; from < count && this.isComplete; from += PARTS_PER_READ) {
      const starts = await this.#values(directory, offsets, PARTS_PER_READ, from)
      const lengths = await this.#values(directory, sizes, PARTS_PER_READ, from)
      const all = starts.length === Math.min(PARTS_PER_READ, count - from)
      const inside = starts.every((start, index) => start + (lengths[index] ?? 1) <= this.#source.size)
      if (!all || !inside) this.isComplete = false
      for (const length of lengths) bytes += length
      if (bytes > MAX_OVERLAP * this.#source.size) throw new ReadLimitError('strips or tiles overlap')
    }
  }

  async #findPreview(directory: TiffDirectory): Promise<void> {
    if (this.previews.length >= MAX_PREVIEWS) return
    const [start, length] = await this.#locateJpeg(directory)
    if (start === undefined || length === undefined || start + length > this.#source.size) return
    const scanner = new JpegScanner()
    const head = await this.#source.read(start, Math.min(length, JPEG_HEAD_BYTES))
    if (!JpegScanner.matches(head)) return
    scanner.push(head)
    const { size } = scanner
    if (!size || size.width * size.height === 0 || scanner.isLossless) return
    this.previews.push({ start, length, ...size })
  }

  /** The position of the directory's image where it is one JPEG with all its tables; otherwise empty. */
  async #locateJpeg(directory: TiffDirectory): Promise<[start?: number, length?: number]> {
    if (findEntry(directory, TAG.jpegStart)) {
      return [await this.#value(directory, TAG.jpegStart), await this.#value(directory, TAG.jpegLength)]
    }
    const compression = (await this.#value(directory, TAG.compression)) ?? 0
    const isWhole = JPEG_COMPRESSIONS.includes(compression) && !findEntry(directory, TAG.jpegTables)
    if (!isWhole || findEntry(directory, TAG.stripOffsets)?.count !== 1) return []
    return [await this.#value(directory, TAG.stripOffsets), await this.#value(directory, TAG.stripBytes)]
  }
}

/** Undefined for a value that is none. */
function toOrientation(value: number | undefined): number | undefined {
  return value !== undefined && value >= 1 && value <= 8 ? value : undefined
}

/** The main image: the largest, of equal ones the first. A reduced version only where a TIFF has nothing else. */
function mainImage(images: Image[], isDng: boolean): Image | undefined {
  const shown = images.filter(({ isMask }) => !isMask)
  const full = shown.filter(({ isReduced }) => !isReduced)
  const candidates = full.length > 0 || isDng ? full : shown
  return candidates.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]
}

/** Offset after the last value that the directory refers to. */
function endOfValues({ entries }: TiffDirectory): number {
  const ends = entries.map(({ valueBytes, count, valuesAt }) =>
    valueBytes * count > 0 ? valuesAt + valueBytes * count : 0,
  )
  return Math.max(0, ...ends)
}
