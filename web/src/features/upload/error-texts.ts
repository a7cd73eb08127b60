import { describeUse, type StorageQuota } from '../../lib/storage-quota.ts'

/** Error texts of an upload, as specified. */
export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

/** Why a file is not sent. */
export function noRoomReason(quota: StorageQuota): string {
  return `This photo does not fit into your storage: ${describeUse(quota)}. Delete photos to upload more.`
}
