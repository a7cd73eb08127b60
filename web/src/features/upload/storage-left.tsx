import { useQuery } from '@tanstack/react-query'
import { storageQuery } from '../../api/account.ts'
import { StorageMeter } from '../../components/storage-meter.tsx'
import { roomSentence } from './room.ts'
import { StorageLink } from './no-room-notice.tsx'

/** The storage that is left, and whether the chosen files fit; nothing without a quota. */
export function StorageLeft({ chosenBytes }: { chosenBytes: number }) {
  const { data } = useQuery(storageQuery)
  if (!data || data.quota === null) return null
  const quota = { used: data.used, limit: data.quota }
  const sentence = roomSentence(quota, data.uploading, chosenBytes)
  return (
    <section aria-label="Storage" className="grid gap-2">
      <StorageMeter quota={quota} uploading={data.uploading} />
      {sentence !== null && (
        <p role="status" className="rounded-md bg-warn-soft px-4 py-3 text-sm text-pretty">
          {sentence} <StorageLink />
        </p>
      )}
    </section>
  )
}
