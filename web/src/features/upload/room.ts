import { formatBytes } from '../../lib/format.ts'
import { bytesLeft, type StorageQuota, withUploads } from '../../lib/storage-quota.ts'

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

