import { cx } from '../lib/cx.ts'
import { formatBytes } from '../lib/format.ts'
import { bytesLeft, describeUse, fillOf, percentUsed, type StorageQuota, withUploads } from '../lib/storage-quota.ts'

const COLORS = { free: 'bg-accent', 'nearly-full': 'bg-warn', full: 'bg-danger' }

interface StorageMeterProps {
  quota: StorageQuota
  /** Bytes that are reserved for uploads. */
  uploading: number
}

/** How much of the user's storage is used and reserved, as text and, for the eye, as a bar. */
export function StorageMeter({ quota, uploading }: StorageMeterProps) {
  const taken = withUploads(quota, uploading)
  const percent = percentUsed(taken)
  const left = bytesLeft(taken)
  return (
    <div className="grid gap-1.5">
      <div aria-hidden className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={cx('h-full rounded-full', COLORS[fillOf(taken)])} style={{ width: `${percent}%` }} />
      </div>
      <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>{describeUse(quota, uploading)}</span>
        <span className={cx(left === 0 && 'font-semibold text-danger')}>
          {left === 0 ? 'Full' : `${formatBytes(left)} left`}
        </span>
      </p>
    </div>
  )
}
