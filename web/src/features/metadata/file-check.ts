import type { ToastContent } from '../../components/ui/toast-store.ts'
import { formatMegabytes } from '../../lib/format.ts'

/** The limit until the configuration is loaded. */
export const DEFAULT_MAX_BYTES = 50 * 1_048_576

const MEDIA_TYPES = ['image/jpeg', 'image/jpg', 'image/png', 'image/tiff', 'image/gif', 'image/bmp']
const EXTENSION = /\.(jpe?g|png|tiff?|gif|bmp)$/i

/** The types offered by the file dialog. */
export const ACCEPTED = [...MEDIA_TYPES, '.jpg', '.jpeg', '.png', '.tif', '.tiff', '.gif', '.bmp'].join(',')

/** The text in the drop area. */
export function supportedText(maxBytes: number): string {
  return `Supports JPEG, PNG, TIFF, GIF, BMP up to ${formatMegabytes(maxBytes)}`
}

/** Systems that do not know a file's type report none: then its name decides. */
function isAccepted({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return type === '' ? EXTENSION.test(name) : MEDIA_TYPES.includes(type)
}

/** Why a chosen file is rejected, or null. The server checks the content. */
export function rejectionToast(file: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): ToastContent | null {
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
      description: `Please select a file smaller than ${formatMegabytes(maxBytes)}`,
      tone: 'danger',
    }
  }
  return null
}
