import { type AppError, badRequest, payloadTooLarge, unsupportedMediaType } from '@skyfolio/kit'
import { type Format, maxBytesOf, UPLOAD_FORMATS, type UploadLimits } from '@skyfolio/proto'
import { MAX_BMP_PIXELS } from '../formats/bmp-scanner.ts'
import type { ImageSize } from '../formats/image-scanner.ts'

export type PhotoLimits = Omit<UploadLimits, 'filesPerUpload' | 'metadataFileBytes'>

/** What a refusal calls the file. */
function called(name: string): string {
  return name === '' ? 'A file without a name' : `"${name}"`
}

/** Its first bytes are those of no accepted format. */
export function notAccepted(name: string, accepted: { name: string }[] = Object.values(UPLOAD_FORMATS)): AppError {
  const formats = accepted.map((format) => format.name).join(', ')
  return unsupportedMediaType(`${called(name)} is not in an accepted format. Accepted formats: ${formats}.`)
}

/** It has no bytes. */
export function isEmpty(name: string): AppError {
  return badRequest(`${called(name)} is empty.`)
}

/** Some of its bytes are missing. */
export function isIncomplete(name: string, format: Format): AppError {
  const missing = UPLOAD_FORMATS[format].large ? 'parts of the picture are missing' : 'the end of the file is missing'
  return badRequest(`${called(name)} is incomplete: ${missing}.`)
}

/** The refusal of a file with more bytes than its format may have. */
export function tooLarge(name: string, format: Format, bytes: number, limits: PhotoLimits): AppError | undefined {
  const most = maxBytesOf(format, limits)
  if (bytes <= most) return undefined
  return payloadTooLarge(`${called(name)} is larger than ${Math.floor(most / 1_048_576)} MB.`)
}

/** The refusal of a picture with too few or too many pixels. */
export function badSize(name: string, format: Format, size: ImageSize, limits: PhotoLimits): AppError | undefined {
  const { width, height } = size
  const { minWidth, minHeight, maxPixels } = limits
  if (width < minWidth || height < minHeight) {
    const least = `at least ${minWidth} x ${minHeight} are needed`
    return badRequest(`${called(name)} has ${width} x ${height} pixels; ${least}.`)
  }
  const most = format === 'bmp' ? Math.min(maxPixels, MAX_BMP_PIXELS) : maxPixels
  if (width * height <= most) return undefined
  const which = most < maxPixels ? `, the most for a ${UPLOAD_FORMATS[format].name}` : ''
  return payloadTooLarge(`${called(name)} has more than ${Math.floor(most / 1_000_000)} megapixels${which}.`)
}
