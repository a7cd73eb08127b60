import type { Notice } from '../../components/ui/toast.tsx'

const MEGABYTE = 1_048_576
/** What the screen takes until the configuration has said its limit. */
export const DEFAULT_MAX_BYTES = 50 * MEGABYTE

const MEDIA_TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/tiff', 'image/gif', 'image/bmp']
const EXTENSION = /\.(jpe?g|png|tiff?|gif|bmp)$/i

/** What the file dialog offers. */
export const ACCEPTED = [...MEDIA_TYPES, '.jpg', '.jpeg', '.png', '.tif', '.tiff', '.gif', '.bmp'].join(',')

/** '50MB', as the limit is written. */
function megabytes(bytes: number): string {
  return `${Number((bytes / MEGABYTE).toFixed(1))}MB`
}

/** The sentence in the drop area. */
export function supportedText(maxBytes: number): string {
  return `Supports JPEG, PNG, TIFF, GIF, BMP up to ${megabytes(maxBytes)}`
}

/** Systems that know no type for a file give none: then its name tells. */
function isAccepted({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return type === '' ? EXTENSION.test(name) : MEDIA_TYPES.includes(type)
}

/** Why a chosen file is not taken, or null. The server looks at its content. */
export function rejectionNotice(file: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): Notice | null {
  if (!isAccepted(file)) {
    return {
      title: 'Invalid file type',
      description: 'Please select a JPEG, PNG, TIFF, GIF, or BMP image',
      tone: 'danger',
    }
  }
  if (file.size > maxBytes) {
    return {
      title: 'File too large',
      description: `Please select a file smaller than ${megabytes(maxBytes)}`,
      tone: 'danger',
    }
  }
  return null
}
