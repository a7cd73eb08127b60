import { formatBytes } from '../../../lib/format.ts'
import { bytesLeft, type StorageQuota } from '../../../lib/storage-quota.ts'

/** Error texts of an upload, as specified. */
export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

/** The server no longer has what was stored of a file. */
export const LOST =
  'What was stored of a photo was discarded while it was being uploaded here, for example on another device. It is sent again from the beginning.'

/** A photo could not be made of what is stored, and the file is not at hand. */
export const NEEDS_FILE = 'The upload could not be finished without the file. Choose it again.'

export const UNREADABLE = 'The file has changed or can no longer be read. Choose it again.'

export const CHANGED = 'The file has changed while it was being uploaded. Choose it again.'

/** Why a file is not sent. `left` is what the files before it, which are not stored yet, leave of the storage. */
export function noRoomReason(quota: StorageQuota, left: number): string {
  const room = `${formatBytes(Math.max(left, 0))} of ${formatBytes(quota.limit)} left`
  const before = left < bytesLeft(quota) ? ' after the photos before it' : ''
  return `This photo does not fit into your storage: ${room}${before}. Delete photos to upload more.`
}
