import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { votingLogQuery } from '../../api/queries.ts'
import { Moment } from '../../components/moment.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { formatNumber } from '../../lib/format.ts'
import { noticeOf } from '../../lib/http.ts'
import { sentenceOf } from './voter-words.ts'

const SHOWN_AT_FIRST = 5
/** As many as the server keeps at hand. */
const MOST = 200

/** What the owner did with the votes; it survives a reset, so that a standing can be explained later. */
export function VotingLog({ folderId }: { folderId: number }) {
  const log = useQuery(votingLogQuery(folderId))
  const [all, setAll] = useState(false)
  if (!log.data) {
    if (!log.isError) return null
    const retry = () => log.refetch()
    return <ErrorState title="The log could not be loaded" description={noticeOf(log.error)} onRetry={retry} />
  }
  if (log.data.length === 0) return null
  const shown = all ? log.data : log.data.slice(0, SHOWN_AT_FIRST)
  return (
    <section aria-labelledby="voting-log" className="mt-10">
      <h2 id="voting-log" className="text-xl font-semibold">
        What you did
      </h2>
      <p className="mb-3 text-sm text-muted">
        {log.data.length < MOST
          ? 'Every exclusion, reset, opening and closing is kept.'
          : `The last ${MOST} exclusions, resets, openings and closings.`}
      </p>
      <ol className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
        {shown.map((entry) => (
          <li key={`${entry.at} ${entry.action} ${entry.voter}`} className="flex justify-between gap-4 px-4 py-2.5">
            <span className="min-w-0">{sentenceOf(entry)}</span>
            <span className="shrink-0 text-sm text-muted">
              <Moment at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      {log.data.length > SHOWN_AT_FIRST && (
        <Button variant="quiet" size="small" className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${formatNumber(log.data.length)}`}
        </Button>
      )}
    </section>
  )
}
