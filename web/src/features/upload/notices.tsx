import { useQuery } from '@tanstack/react-query'
import { HardDrive } from 'lucide-react'
import { Link } from 'react-router-dom'
import { storageQuery } from '../../api/account.ts'
import { StorageMeter } from '../../components/storage-meter.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { roomSentence } from './texts.ts'

const SHOWN = 20

/** Sentences about files that are not part of the upload. */
export function IssueList({ issues }: { issues: readonly string[] }) {
  if (issues.length === 0) return null
  return (
    <div role="alert" className="rounded-md bg-warn-soft py-3 pr-4 pl-8 text-sm text-warn">
      <ul className="grid list-disc gap-1">
        {[...new Set(issues)].slice(0, SHOWN).map((issue) => (
          <li key={issue} className="wrap-anywhere">
            {issue}
          </li>
        ))}
        {issues.length > SHOWN && <li>{`and ${formatNumber(issues.length - SHOWN)} more`}</li>}
      </ul>
    </div>
  )
}

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
          <span>{sentence}</span> <StorageLink />
        </p>
      )}
    </section>
  )
}

/** Says that files do not fit into the user's storage, and where to make room. */
export function NoRoomNotice({ count, all }: { count: number; all: number }) {
  if (count === 0) return null
  const subject = `${countOf(count, 'photo')} ${count === 1 ? 'does' : 'do'} not fit into your storage.`
  return (
    <div role="alert" className="flex gap-3 rounded-md bg-danger-soft px-4 py-3 text-sm">
      <HardDrive aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <p>
        <span className="font-semibold">{subject}</span> {count < all && <span>The others were not affected. </span>}
        <span>Delete photos, then come back here by Show at the bottom of the page, and choose Retry failed.</span>{' '}
        <StorageLink />
      </p>
    </div>
  )
}

function StorageLink() {
  return (
    <Link to="/profile?tab=statistics" className="font-semibold whitespace-nowrap text-accent hover:underline">
      See what uses your storage
    </Link>
  )
}
