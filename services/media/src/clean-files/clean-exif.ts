import { type ByteSource, bufferSource } from '../formats/byte-source.ts'
import {
  findEntry,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  type TiffDirectory,
  type TiffHeader,
} from '../formats/tiff-directory.ts'
import {
  type Directory,
  encodeDirectory,
  encodeTiffHead,
  FIRST_DIRECTORY_AT,
  type Tag,
} from '../formats/tiff-encoder.ts'

/** Which tags of a directory are kept; nothing else is, whatever cameras add. */
interface Kept {
  tags: number[]
  /** Of the camera and its settings. */
  cameraTags: number[]
  /** The directory below it, by its pointer tag. */
  below?: [pointer: number, Kept]
}

/** By which colours are Adobe RGB: index and version of the interoperability rules. */
const INTEROPERABILITY: Kept = { tags: [1, 2], cameraTags: [] }

const EXIF: Kept = {
  tags: [
    ...[36864, 37121, 40960], // ExifVersion, ComponentsConfiguration, FlashpixVersion
    ...[36867, 36868, 36880, 36881, 36882, 37520, 37521, 37522], // dates, their zones and fractions of a second
    ...[40961, 40962, 40963], // ColorSpace, ExifImageWidth, ExifImageHeight
  ],
  cameraTags: [
    ...[33434, 33437, 34850, 34855], // ExposureTime, FNumber, ExposureProgram, ISO
    ...[37377, 37378, 37380, 37381], // ShutterSpeedValue, ApertureValue, ExposureCompensation, MaxApertureValue
    ...[37383, 37384, 37385, 37386], // MeteringMode, LightSource, Flash, FocalLength
    ...[41986, 41987, 41988, 41989], // ExposureMode, WhiteBalance, DigitalZoomRatio, FocalLengthIn35mmFormat
    ...[41990, 41992, 41993, 41994], // SceneCaptureType, Contrast, Saturation, Sharpness
    ...[42034, 42035, 42036], // LensInfo, LensMake, LensModel
  ],
  below: [40965, INTEROPERABILITY],
}

const FIRST: Kept = {
  tags: [
    ...[274, 282, 283, 296, 531], // Orientation, XResolution, YResolution, ResolutionUnit, YCbCrPositioning
    ...[306, 315, 33432], // ModifyDate, Artist, Copyright
  ],
  cameraTags: [271, 272], // Make, Model
  below: [34665, EXIF],
}

const TEXT = 2
/** SHORT, LONG, RATIONAL, SLONG and SRATIONAL. */
const NUMBERS = [3, 4, 5, 9, 10]
const UNDEFINED = 7
const MAX_TEXT_BYTES = 200
/** LensInfo has four. */
const MAX_NUMBERS = 4
/** Versions and the like. */
const MAX_UNDEFINED_BYTES = 4

/**
 * EXIF with nothing but known harmless tags of the given one: no position, maker note, serial number, free text or thumbnail.
 * Values that are malformed are left out. Empty when nothing is left.
 * @param camera whether what the camera is and how it was set is kept
 */
export async function cleanExif(exif: Buffer, { camera }: { camera: boolean }): Promise<Buffer> {
  const header = readTiffHeader(exif)
  if (!header || header.isBigTiff) return Buffer.alloc(0)
  const { littleEndian } = header
  const first = await copyDirectory({ source: bufferSource(exif), header, camera }, header.firstDirectory, FIRST)
  if (isEmpty(first)) return Buffer.alloc(0)
  return Buffer.concat([encodeTiffHead(littleEndian), encodeDirectory(first, FIRST_DIRECTORY_AT, littleEndian)])
}

interface Copying {
  source: ByteSource
  header: TiffHeader
  camera: boolean
}

async function copyDirectory(copying: Copying, start: number, kept: Kept): Promise<Directory> {
  const directory = await readTiffDirectory(copying.source, copying.header, start)
  const wanted = copying.camera ? [...kept.tags, ...kept.cameraTags] : kept.tags
  const tags: Tag[] = []
  for (const tag of wanted) {
    const copied = await copyTag(copying, directory, tag)
    if (copied) tags.push(copied)
  }
  return { tags, below: await copyBelow(copying, directory, kept) }
}

async function copyBelow(copying: Copying, directory: TiffDirectory, kept: Kept): Promise<Directory['below']> {
  if (!kept.below) return []
  const [pointer, below] = kept.below
  const [start] = await readTagIntegers(copying.source, copying.header, directory, pointer, 1)
  const copied = start === undefined ? null : await copyDirectory(copying, start, below)
  return copied && !isEmpty(copied) ? [[pointer, copied]] : []
}

async function copyTag({ source }: Copying, directory: TiffDirectory, tag: number): Promise<Tag | null> {
  const entry = findEntry(directory, tag)
  if (!entry) return null
  const { type, count, valueBytes, valuesAt } = entry
  if (count > mostOf(type)) return null
  const bytes = await source.read(valuesAt, count * valueBytes)
  if (bytes.length < count * valueBytes) return null
  return type === TEXT ? textTag(tag, bytes) : { tag, type, count, bytes }
}

/** Values that a tag of this type may have. */
function mostOf(type: number): number {
  if (type === TEXT) return MAX_TEXT_BYTES
  if (type === UNDEFINED) return MAX_UNDEFINED_BYTES
  return NUMBERS.includes(type) ? MAX_NUMBERS : 0
}

/** The text up to its end: cameras leave other bytes behind that. */
function textTag(tag: number, bytes: Buffer): Tag | null {
  const text = Buffer.concat([bytes, Buffer.alloc(1)])
  const count = text.indexOf(0) + 1
  return count > 1 ? { tag, type: TEXT, count, bytes: text.subarray(0, count) } : null
}

function isEmpty({ tags, below }: Directory): boolean {
  return tags.length === 0 && below.length === 0
}
