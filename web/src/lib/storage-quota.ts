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

/** 0 to 100. */
export function percentUsed({ used, limit }: StorageQuota): number {
  return limit === 0 ? 100 : Math.min((used / limit) * 100, 100)
}

export function fillOf(quota: StorageQuota): 'free' | 'nearly-full' | 'full' {
  if (bytesLeft(quota) === 0) return 'full'
  return quota.used >= quota.limit * NEARLY_FULL ? 'nearly-full' : 'free'
}

/** '4.90 GB of 5.00 GB used'. */
export function describeUse({ used, limit }: StorageQuota): string {
  return `${formatBytes(used)} of ${formatBytes(limit)} used`
}
