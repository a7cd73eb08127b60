import { cx } from '../lib/cx.ts'
import { formatBytes } from '../lib/format.ts'
import { bytesLeft, describeUse, fillOf, percentUsed, type StorageQuota } from '../lib/storage-quota.ts'

const COLORS = { free: 'bg-accent', 'nearly-full': 'bg-warn', full: 'bg-danger' }

/** How much of the user's storage is used, as text and, for the eye, as a bar. */
export function StorageMeter({ quota }: { quota: StorageQuota }) {
  const percent = percentUsed(quota)
  const left = bytesLeft(quota)
  return (
    <div className="grid gap-1.5">
      <div aria-hidden className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={cx('h-full rounded-full', COLORS[fillOf(quota)])} style={{ width: `${percent}%` }} />
      </div>
      <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>{describeUse(quota)}</span>
        <span className={cx(left === 0 && 'font-semibold text-danger')}>
          {left === 0 ? 'Full' : `${formatBytes(left)} left`}
        </span>
      </p>
    </div>
  )
}
