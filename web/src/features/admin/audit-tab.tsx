import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { auditQuery } from '../../api/admin.ts'
import type { AuditEntry } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { cx } from '../../lib/cx.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { describeAction, describeDetail } from './audit-texts.ts'
import { Failure } from './failures.tsx'
import { SearchField } from './search-field.tsx'
import { usePages } from './use-pages.ts'
import { readSearch } from './user-filters.ts'

/** What administrators did to other people's data, newest first. The URL has the search. */
export function AuditTab() {
  const [search, setSearch] = useUrlSearch()
  const q = readSearch(search)

  function change(next: string): void {
    const write = (now: URLSearchParams) => {
      const result = new URLSearchParams(now)
      if (next === '') result.delete('q')
      else result.set('q', next)
      return result
    }
    setSearch(write, { replace: true })
  }

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
          label="Search the audit log"
          placeholder="Search by user, action or subject"
          value={q}
          onSearch={change}
        />
      </div>
      <Entries q={q} onClear={() => change('')} />
    </>
  )
}

function Entries({ q, onClear }: { q: string; onClear: () => void }) {
  const list = useInfiniteQuery({ ...auditQuery(q), placeholderData: keepPreviousData })
  const { items, hasMore, loadMore } = usePages(list)
  if (!items) {
    if (!list.error) return <EntriesSkeleton />
    return <Failure title="The audit log could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
  }
  if (items.length === 0) return <NoEntries searched={q !== ''} onClear={onClear} />
  return (
    <div aria-busy={list.isPlaceholderData} className={cx('transition', list.isPlaceholderData && 'opacity-60')}>
      <ol aria-label="Audit log" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
        {items.map((entry, index) => (
          // Entries are only added, and have no id.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a search never changes its order
          <li key={index} className="[contain-intrinsic-size:auto_64px] [content-visibility:auto]">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {hasMore && <LoadMore what="entries" {...loadMore} />}
    </div>
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
        {entry.subject}
        {entry.detail && <span className="block text-sm text-muted">{describeDetail(entry.detail)}</span>}
      </p>
    </div>
  )
}

function NoEntries({ searched, onClear }: { searched: boolean; onClear: () => void }) {
  if (!searched)
    return (
      <EmptyState
        icon={<ScrollText />}
        title="Nothing recorded yet"
        description="No administrator has changed or looked at what belongs to somebody else."
      />
    )
  return (
    <div role="status">
      <EmptyState
        icon={<ScrollText />}
        title="No entries found"
        description="No entry matches the search."
        action={<Button onClick={onClear}>Clear search</Button>}
      />
    </div>
  )
}

function EntriesSkeleton() {
  return (
    <div role="status" className="grid gap-px overflow-hidden rounded-lg bg-line shadow-low ring ring-line">
      <span className="sr-only">Loading the audit log</span>
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="grid h-16 content-center gap-2 bg-surface px-4 sm:px-5">
          <Skeleton className="h-4 w-72 max-w-full" />
        </div>
      ))}
    </div>
  )
}
