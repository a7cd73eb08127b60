import { formatBytes } from './format.ts'

/** A user's storage in bytes and its limit. */
export interface StorageQuota {
  used: number
  limit: number
}

/** From this part on the storage is shown as nearly full. */
const NEARLY_FULL = 0.9

/** What can still be uploaded; 0 also when more is used than a quota that was lowered. */
export function bytesLeft({ used, limit }: StorageQuota): number {
  return Math.max(limit - used, 0)
}

/** The storage when these bytes, which are reserved for uploads, are used. */
export function withUploads(quota: StorageQuota, uploading: number): StorageQuota {
  return { ...quota, used: quota.used + uploading }
}

/** 0 to 100. */
export function percentUsed({ used, limit }: StorageQuota): number {
  return limit === 0 ? 100 : Math.min((used / limit) * 100, 100)
}

export function fillOf(quota: StorageQuota): 'free' | 'nearly-full' | 'full' {
  if (bytesLeft(quota) === 0) return 'full'
  return quota.used >= quota.limit * NEARLY_FULL ? 'nearly-full' : 'free'
}

/** '4.90 GB of 5.00 GB used', with ', 40 MB for uploads' when there are some. */
export function describeUse({ used, limit }: StorageQuota, uploading = 0): string {
  const reserved = uploading > 0 ? `, ${formatBytes(uploading)} for uploads` : ''
  return `${formatBytes(used)} of ${formatBytes(limit)} used${reserved}`
}
