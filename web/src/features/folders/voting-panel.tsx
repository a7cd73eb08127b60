import { useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type VoterCounts, votingLogQuery } from '../../api/folders.ts'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { ConfirmButton, ConfirmChange } from './confirm-change.tsx'
import { useResetVotes, useSetVotingOpen } from './voting-changes.ts'
import { describeEntry } from './voting-texts.ts'

interface VotingPanelProps {
  folder: Folder
  /** Undefined until they are known. */
  voters: VoterCounts | undefined
  /** The number of votes that count. */
  votes: number
}

/** Shows whether voting is open, lets the owner open, close and reset it. Closing asks first: visitors notice it at once. */
export function VotingPanel({ folder, voters, votes }: VotingPanelProps) {
  const id = useId()
  const change = useSetVotingOpen(folder)
  const reset = useResetVotes(folder.id)
  const [closing, setClosing] = useState(false)
  const open = change.isPending ? change.variables : folder.votingOpen
  return (
    <section
      aria-label="Voting"
      className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line"
    >
      <Switch
        checked={open}
        onCheckedChange={(next) => (next ? change.isPending || change.mutate(true) : setClosing(true))}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-explanation`}
      />
      <div className="min-w-0 flex-1 basis-60">
        <p id={`${id}-name`} className="font-semibold">
          {open ? 'Voting is open' : 'Voting is closed'}
        </p>
        <p id={`${id}-explanation`} className="text-sm text-pretty text-muted">
          {describeVoting(open, folder.isPublic)}
        </p>
      </div>
      <ConfirmChange
        open={closing}
        onClose={() => setClosing(false)}
        change={change}
        title="Close the voting?"
        description="From this moment nobody can vote, change a vote or remove one, not even you. Visitors see that voting is closed. You can open it again at any time."
        confirmLabel="Close voting"
        onConfirm={(options) => change.mutate(false, options)}
      />
      {voters && voters.total > 0 && (
        <ConfirmButton
          button={{ variant: 'quiet', className: 'max-sm:-ml-4', children: 'Reset votes' }}
          change={reset}
          title="Reset all votes?"
          description={`The ballots of ${countOf(voters.total - voters.excluded, 'voter')} are deleted, with the ${countOf(votes, 'vote')} that count now. Photos and links stay; everyone can vote again, but ballots that you excluded stay excluded. This action cannot be undone.`}
          confirmLabel="Reset votes"
          danger
          onConfirm={(options) => reset.mutate(undefined, options)}
        />
      )}
    </section>
  )
}

function describeVoting(open: boolean, isPublic: boolean): string {
  if (!open) return 'Nobody can vote, change a vote or remove one, not even you. The standings stay as they are.'
  if (isPublic) return 'Everyone with the voting link can vote and change their vote. Close it to freeze the standings.'
  return 'The folder is private: only you can vote until you make it public.'
}

const SHOWN_AT_FIRST = 5

/** The log of what the owner did with the votes. It survives a reset, so that a result can be explained later. */
export function VotingLog({ folderId }: { folderId: number }) {
  const log = useInfiniteQuery(votingLogQuery(folderId))
  const [all, setAll] = useState(false)
  if (!log.data) {
    if (!log.isError) return null
    return <QueryFailure query={log} title="The log could not be loaded" />
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
          <Button size="small" busy={log.isFetchingNextPage} onClick={() => !log.isFetching && log.fetchNextPage()}>
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
