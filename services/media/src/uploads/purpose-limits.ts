import type { AppError } from '@skyfolio/kit'
import { type Format, UPLOAD_FORMATS, type UploadLimits } from '@skyfolio/proto'
import type { ImageSize } from '../formats/image-scanner.ts'
import { checkDimensions, checkFileSize, type PhotoLimits, unsupportedFormat } from './rejections.ts'

/** Where an uploaded photo appears: in the user's gallery, or on the metadata screen only. */
export type Purpose = 'gallery' | 'metadata'

/** What was found out about a file while it was received. */
export interface InspectedFile {
  name: string
  format: Format | null
  size: number
  dimensions: ImageSize | null
}

const WITHOUT_DNG = Object.values(UPLOAD_FORMATS).filter((format) => format !== UPLOAD_FORMATS.dng)

/** Why this purpose does not allow the file, if so. The metadata screen accepts no DNG, and images of any size. */
export function findRejection(purpose: Purpose, file: InspectedFile, limits: UploadLimits): AppError | undefined {
  const { name, format, size, dimensions } = file
  const allowed = purpose === 'metadata' ? metadataLimits(limits) : limits
  const isUnsupported = format === 'dng' || (format === null && size > 0)
  if (purpose === 'metadata' && isUnsupported) return unsupportedFormat(name, WITHOUT_DNG)
  if (format === null) return undefined
  // Dimensions first: they are known early, and the rest of a rejected file is only counted.
  const badDimensions = dimensions ? checkDimensions(name, format, dimensions, allowed) : undefined
  return badDimensions ?? checkFileSize(name, format, size, allowed)
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

function metadataLimits(limits: UploadLimits): PhotoLimits {
  const maxBytes = limits.metadataFileBytes
  return { ...limits, fileBytes: maxBytes, largeFileBytes: maxBytes, minWidth: 1, minHeight: 1 }
}
