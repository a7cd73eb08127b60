import { formatBytes } from '../../lib/format.ts'
import { bytesLeft, type StorageQuota } from '../../lib/storage-quota.ts'

/** Error texts of an upload, as specified. */
export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

/** Why a file is not sent. `left` is what the files before it, which are not stored yet, leave of the storage. */
export function noRoomReason(quota: StorageQuota, left: number): string {
  const room = `${formatBytes(Math.max(left, 0))} of ${formatBytes(quota.limit)} left`
  const before = left < bytesLeft(quota) ? ' after the photos before it' : ''
  return `This photo does not fit into your storage: ${room}${before}. Delete photos to upload more.`
}
