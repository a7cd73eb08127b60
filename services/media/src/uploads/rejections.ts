import { type AppError, badRequest, payloadTooLarge, unsupportedMediaType } from '@skyfolio/kit'
import { type Format, maxBytesOf, UPLOAD_FORMATS, type UploadLimits } from '@skyfolio/proto'
import { MAX_BMP_PIXELS } from '../formats/bmp-scanner.ts'
import { findDecodingExcess } from '../formats/decoding-cost.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { formatBytes } from '../usage/quota.ts'

export type PhotoLimits = Omit<UploadLimits, 'filesPerUpload' | 'metadataFileBytes'>

/** For a file whose first bytes are those of no accepted format. */
export function unsupportedFormat(
  name: string,
  accepted: { name: string }[] = Object.values(UPLOAD_FORMATS),
): AppError {
  const formats = accepted.map((format) => format.name).join(', ')
  return unsupportedMediaType(`${displayName(name)} is not in an accepted format. Accepted formats: ${formats}.`)
}

/** For a file without bytes. */
export function emptyFile(name: string): AppError {
  return badRequest(`${displayName(name)} is empty.`)
}

/** For a file of which bytes are missing. */
export function incompleteFile(name: string, format: Format): AppError {
  const missing = UPLOAD_FORMATS[format].large ? 'parts of the picture are missing' : 'the end of the file is missing'
  return badRequest(`${displayName(name)} is incomplete: ${missing}.`)
}

/** For a file whose structure demands far more reading than that of any photo. */
export function tooManyParts(name: string): AppError {
  return badRequest(`${displayName(name)} is damaged: it has more parts than a photo can have.`)
}

/** Returns an error for a file with more bytes than its format may have. */
export function checkFileSize(name: string, format: Format, bytes: number, limits: PhotoLimits): AppError | undefined {
  const max = maxBytesOf(format, limits)
  return bytes <= max ? undefined : tooLarge(name, max)
}

/** For a file with more bytes than it may have. */
export function tooLarge(name: string, maxBytes: number): AppError {
  return payloadTooLarge(`${displayName(name)} is larger than ${Math.floor(maxBytes / 1_048_576)} MB.`)
}

/** Returns an error for an image with too few or too many pixels. */
export function checkDimensions(
  name: string,
  format: Format,
  { width, height }: ImageSize,
  { minWidth, minHeight, maxPixels }: PhotoLimits,
): AppError | undefined {
  if (width < minWidth || height < minHeight) {
    const needed = `at least ${minWidth} x ${minHeight} are needed`
    return badRequest(`${displayName(name)} has ${width} x ${height} pixels; ${needed}.`)
  }
  const max = format === 'bmp' ? Math.min(maxPixels, MAX_BMP_PIXELS) : maxPixels
  if (width * height <= max) return undefined
  const which = max < maxPixels ? `, the most for a ${UPLOAD_FORMATS[format].name}` : ''
  return payloadTooLarge(`${displayName(name)} has more than ${Math.floor(max / 1_000_000)} megapixels${which}.`)
}

/** Returns an error for an image whose decoding costs far more than its bytes. */
function checkDecodingCost(
  name: string,
  bytes: number,
  { width, height }: ImageSize,
  scans: number,
): AppError | undefined {
  const pixels = width * height
  const megapixels = Math.round(pixels / 1_000_000)
  const excess = findDecodingExcess(bytes, pixels, scans)
  if (excess === null) return undefined
  if (excess === 'scans') {
    const sentence = `${displayName(name)} has ${megapixels} megapixels in ${scans} scans, which takes too long to decode.`
    return badRequest(`${sentence} Please save it as an ordinary JPEG.`)
  }
  const image = `${displayName(name)} has ${megapixels} megapixels in only ${formatBytes(bytes)}`
  return badRequest(`${image}. Photos take more; please send it in another format or with fewer pixels.`)
}

/** A file as sentences name it. */
export function displayName(name: string): string {
  return name === '' ? 'A file without a name' : `"${name}"`
}

/** What an upload is for: a photo of the user's gallery, one of the metadata screen, or an image of a print order. */
export type Purpose = 'gallery' | 'metadata' | 'print'

/** What was found out about a file while it was received. */
export interface InspectedFile {
  name: string
  format: Format | null
  size: number
  dimensions: ImageSize | null
  /** How often a decoder goes over all pixels. */
  scans: number
}

const ALL_FORMATS = Object.keys(UPLOAD_FORMATS) as Format[]
const ACCEPTED: Record<Purpose, Format[]> = {
  gallery: ALL_FORMATS,
  metadata: ALL_FORMATS.filter((format) => format !== 'dng'),
  print: ['jpg', 'png'],
}

/** Why this purpose does not allow the file, if so. The metadata screen accepts images of any size. */
export function findRejection(purpose: Purpose, file: InspectedFile, limits: UploadLimits): AppError | undefined {
  const { name, format, size, dimensions, scans } = file
  const allowed = purpose === 'metadata' ? metadataLimits(limits) : limits
  const accepted = ACCEPTED[purpose]
  const isUnsupported = format === null ? size > 0 : !accepted.includes(format)
  if (purpose !== 'gallery' && isUnsupported) {
    return unsupportedFormat(
      name,
      accepted.map((one) => UPLOAD_FORMATS[one]),
    )
  }
  if (format === null) return undefined
  // Dimensions first: they are known early, and the rest of a rejected file is only counted.
  const badDimensions = dimensions ? checkDimensions(name, format, dimensions, allowed) : undefined
  const tooCostly = dimensions ? checkDecodingCost(name, size, dimensions, scans) : undefined
  return badDimensions ?? tooCostly ?? checkFileSize(name, format, size, allowed)
}

/** Limits that allow everything that some purpose allows: the form may name its purpose after the file. */
export function loosestPurposeLimits(limits: UploadLimits): PhotoLimits {
  const { fileBytes, largeFileBytes, metadataFileBytes } = limits
  return {
    ...metadataLimits(limits),
    fileBytes: Math.max(fileBytes, metadataFileBytes),
    largeFileBytes: Math.max(largeFileBytes, metadataFileBytes),
  }
}

/** The limits of an image for a print order: no format may be larger than a JPEG. */
export function printLimits(limits: UploadLimits): PhotoLimits {
  return { ...limits, largeFileBytes: limits.fileBytes }
}

function metadataLimits(limits: UploadLimits): PhotoLimits {
  const maxBytes = limits.metadataFileBytes
  return { ...limits, fileBytes: maxBytes, largeFileBytes: maxBytes, minWidth: 1, minHeight: 1 }
}
