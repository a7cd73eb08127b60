import type { AppError } from '@skyfolio/kit'
import { type Format, UPLOAD_FORMATS, type UploadLimits } from '@skyfolio/proto'
import type { ImageSize } from '../formats/image-scanner.ts'
import { badSize, notAccepted, type PhotoLimits, tooLarge } from './rejections.ts'

/** What a photo was uploaded for: the user's gallery, or the metadata screen alone. */
export type Purpose = 'gallery' | 'metadata'

/** What was seen of a file as it came. */
export interface SeenFile {
  name: string
  format: Format | null
  size: number
  picture: ImageSize | null
}

function metadataLimits(limits: UploadLimits): PhotoLimits {
  const most = limits.metadataFileBytes
  return { ...limits, fileBytes: most, largeFileBytes: most, minWidth: 1, minHeight: 1 }
}

/** What some purpose allows: the form may say its purpose behind the file. */
export function loosestLimits(limits: UploadLimits): PhotoLimits {
  const most = limits.metadataFileBytes
  return {
    ...metadataLimits(limits),
    fileBytes: Math.max(limits.fileBytes, most),
    largeFileBytes: Math.max(limits.largeFileBytes, most),
  }
}

const WITHOUT_DNG = Object.values(UPLOAD_FORMATS).filter((format) => format !== UPLOAD_FORMATS.dng)

/** Why a file of this purpose is refused, if it is. The metadata screen takes no DNG, and pictures of any size. */
export function refusalFor(purpose: Purpose, file: SeenFile, limits: UploadLimits): AppError | undefined {
  const { name, format, size, picture } = file
  const allowed = purpose === 'metadata' ? metadataLimits(limits) : limits
  if (purpose === 'metadata' && (format === 'dng' || (format === null && size > 0)))
    return notAccepted(name, WITHOUT_DNG)
  if (format === null) return undefined
  // Pixels first: they are known at the beginning, and the rest of a refused file is only counted.
  return (picture ? badSize(name, format, picture, allowed) : undefined) ?? tooLarge(name, format, size, allowed)
}
