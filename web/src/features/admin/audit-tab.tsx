import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { auditQuery } from '../../api/admin.ts'
import type { AuditEntry } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { capitalized, formatBytes } from '../../lib/format.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { NothingFound, PagedList, RowsSkeleton, readSearch, SearchField } from './admin-parts.tsx'

/** What administrators do, in words; an action that is not known here is shown by its code. */
const ACTIONS: Record<string, string> = {
  'user.edited': 'Changed a user',
  'user.promoted': 'Made a user an administrator',
  'user.demoted': 'Took away administrator rights',
  'user.disabled': 'Disabled an account',
  'user.enabled': 'Enabled an account',
  'user.quota-changed': 'Changed a storage limit',
  'user.password-reset-sent': 'Sent a password reset',
  'user.deletion-requested': 'Requested the deletion of an account',
  'user.deletion-revoked': 'Revoked the deletion of an account',
  'user.erased': 'Erased an account',
  'photo.viewed': 'Looked at a private photo',
  'photo.deleted': 'Deleted a photo',
  'folder.viewed': 'Looked at a private folder',
  'folder.deleted': 'Deleted a folder',
  'order.viewed': 'Looked at an order',
  'order.resolved': 'Resolved an order',
  'environment.changed': 'Switched the print environment',
  'test-order.placed': 'Placed a test order',
}

/** What administrators did to other people's data, newest first. The URL has the search. */
export function AuditTab() {
  const [search, setSearch] = useUrlSearch()
  const q = readSearch(search)
  const list = useInfiniteQuery({ ...auditQuery(q), placeholderData: keepPreviousData })

  const change = (next: string) =>
    setSearch(
      (now) => {
        if (next === '') now.delete('q')
        else now.set('q', next)
        return now
      },
      { replace: true },
    )

  return (
    <>
      <p className="mb-4 flex max-w-3xl gap-3 rounded-md bg-accent-soft px-4 py-3">
        <ShieldCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        <span className="text-pretty">
          What administrators do to other people's data is recorded here. Looking at another user's private photo is
          recorded too. Entries cannot be changed.
        </span>
      </p>
      <div className="mb-4 flex max-w-xl">
        <SearchField
          aria-label="Search the audit log"
          placeholder="Search by user, action or subject"
          value={q}
          onSearch={change}
        />
      </div>
      <PagedList
        query={list}
        what="audit log"
        items="entries"
        skeleton={<RowsSkeleton rows={6} />}
        empty={
          q === '' ? (
            <EmptyState
              icon={<ScrollText />}
              title="Nothing recorded yet"
              description="No administrator has changed or looked at what belongs to somebody else."
            />
          ) : (
            <NothingFound
              icon={<ScrollText />}
              title="No entries found"
              description="No entry matches the search."
              action={<Button onClick={() => change('')}>Clear search</Button>}
            />
          )
        }
      >
        {(entries) => (
          <ol aria-label="Audit log" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
            {entries.map((entry, index) => (
              // Entries are only added, and have no id.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list of a search never changes its order
              <li key={index} className="[contain-intrinsic-size:auto_64px] [content-visibility:auto]">
                <Entry entry={entry} />
              </li>
            ))}
          </ol>
        )}
      </PagedList>
    </>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-0.5 px-4 py-3 sm:px-5 md:grid-cols-[minmax(0,11rem)_minmax(0,1fr)_minmax(0,1fr)_8rem]">
      <p className="truncate font-semibold" title={entry.actor}>
        {entry.actor}
      </p>
      <p className="text-sm text-muted md:order-last md:text-right">
        <RelativeTime at={entry.at} />
      </p>
      <p className="min-w-0 text-pretty max-md:col-span-2">{describeAction(entry.action)}</p>
      <p className="min-w-0 wrap-anywhere max-md:col-span-2">
        <span>{entry.subject}</span>
        {entry.detail && <span className="block text-sm text-muted">{describeDetail(entry.detail)}</span>}
      </p>
    </div>
  )
}

export function describeAction(action: string): string {
  return Object.hasOwn(ACTIONS, action) ? (ACTIONS[action] as string) : action
}

/** Names of fields become words, and bytes a size: 'First name, email', '20.00 MB'. */
export function describeDetail(detail: string): string {
  const sized = detail.replaceAll(/\b(\d+) bytes\b/g, (_, bytes) => formatBytes(Number(bytes)))
  const words = sized.replaceAll(/\b([a-z]+)([A-Z][a-z]*)\b/g, (_, start, end) => `${start} ${end.toLowerCase()}`)
  return capitalized(words)
}
