import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { votingLogQuery } from '../../api/folders.ts'
import { Button } from '../../components/ui/button.tsx'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { describeEntry } from './voter-texts.ts'

const SHOWN_AT_FIRST = 5

/** The log of what the owner did with the votes. It survives a reset, so that a result can be explained later. */
export function VotingLog({ folderId }: { folderId: number }) {
  const log = useInfiniteQuery(votingLogQuery(folderId))
  const [all, setAll] = useState(false)
  if (!log.data) {
    if (!log.isError) return null
    const retry = () => log.refetch()
    return <ErrorState title="The log could not be loaded" description={errorMessage(log.error)} onRetry={retry} />
  }
  const entries = log.data.pages.flatMap(({ items }) => items)
  const total = log.data.pages[0]?.total ?? 0
  if (entries.length === 0) return null
  const shown = all ? entries : entries.slice(0, SHOWN_AT_FIRST)
  return (
    <section aria-labelledby="voting-log" className="mt-10">
      <h2 id="voting-log" className="text-xl font-semibold">
        What you did
      </h2>
      <p className="mb-3 text-sm text-muted">Every exclusion, reset, opening and closing is kept.</p>
      <ol className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
        {shown.map((entry) => (
          <li key={`${entry.at} ${entry.action} ${entry.voter}`} className="flex justify-between gap-4 px-4 py-2.5">
            <span className="min-w-0">{describeEntry(entry)}</span>
            <span className="shrink-0 text-sm text-muted">
              <RelativeTime at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      <div className="mt-2 flex gap-2">
        {all && log.hasNextPage && (
          <Button size="small" busy={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
            Show older
          </Button>
        )}
        {total > SHOWN_AT_FIRST && (
          <Button variant="quiet" size="small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${formatNumber(total)}`}
          </Button>
        )}
      </div>
    </section>
  )
}
