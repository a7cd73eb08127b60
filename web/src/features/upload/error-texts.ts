import { formatBytes } from '../../lib/format.ts'
import { bytesLeft, type StorageQuota, withUploads } from '../../lib/storage-quota.ts'

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

/** Says that chosen files may not fit; null when there is room for all. `uploading`: bytes that are reserved for uploads. */
export function roomSentence(quota: StorageQuota, uploading: number, chosenBytes: number): string | null {
  const left = bytesLeft(withUploads(quota, uploading))
  if (left > 0 && chosenBytes <= left) return null
  if (left > 0) {
    const free = uploading > 0 ? 'that you already have, or whose upload has begun,' : 'that you already have'
    return `These photos take ${formatBytes(chosenBytes)}, more than the ${formatBytes(left)} that are left. What does not fit is not sent; photos ${free} take nothing.`
  }
  return bytesLeft(quota) === 0
    ? 'Your storage is full. Delete photos to upload more.'
    : 'Unfinished uploads take the rest of your storage. Finish or discard them, or delete photos, to upload more.'
}

/** Why a file is not sent. `left` is what the files before it, which are not stored yet, leave of the storage. */
export function noRoomReason(quota: StorageQuota, left: number): string {
  const room = `${formatBytes(Math.max(left, 0))} of ${formatBytes(quota.limit)} left`
  const before = left < bytesLeft(quota) ? ' after the photos before it' : ''
  return `This photo does not fit into your storage: ${room}${before}. Delete photos to upload more.`
}
