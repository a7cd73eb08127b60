import type { AppError } from '@skyfolio/kit'
import { type Format, UPLOAD_FORMATS, type UploadLimits } from '@skyfolio/proto'
import type { ImageSize } from '../formats/image-scanner.ts'
import { checkDecodingCost, checkDimensions, checkFileSize, type PhotoLimits, unsupportedFormat } from './rejections.ts'

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
