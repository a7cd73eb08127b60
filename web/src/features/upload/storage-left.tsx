import { useQuery } from '@tanstack/react-query'
import { storageQuery } from '../../api/account.ts'
import { StorageMeter } from '../../components/storage-meter.tsx'
import { formatBytes } from '../../lib/format.ts'
import { bytesLeft } from '../../lib/storage-quota.ts'
import { StorageLink } from './no-room-notice.tsx'

/** The storage that is left, and whether the chosen files fit; nothing without a quota. */
export function StorageLeft({ chosenBytes }: { chosenBytes: number }) {
  const { data } = useQuery(storageQuery)
  if (!data || data.quota === null) return null
  const quota = { used: data.used, limit: data.quota }
  const left = bytesLeft(quota)
  return (
    <section aria-label="Storage" className="grid gap-2">
      <StorageMeter quota={quota} />
      {(chosenBytes > left || left === 0) && (
        <p role="status" className="rounded-md bg-warn-soft px-4 py-3 text-sm text-pretty">
          {left === 0
            ? 'Your storage is full. Delete photos to upload more.'
            : `These photos take ${formatBytes(chosenBytes)}, more than the ${formatBytes(left)} that are left. What does not fit is not sent; photos that you already have take nothing.`}{' '}
          <StorageLink />
        </p>
      )}
    </section>
  )
}
