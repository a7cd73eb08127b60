import { useInfiniteQuery } from '@tanstack/react-query'
import { Settings2 } from 'lucide-react'
import { useId, useState } from 'react'
import { type VoterCounts, votingLogQuery } from '../../api/folders.ts'
import type { Contest, Folder } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { UNREACHABLE } from '../../lib/http.ts'
import { useNow } from '../../lib/use-now.ts'
import { ConfirmButton, ConfirmChange } from './confirm-change.tsx'
import { describeMoment, describeRules } from './contest-texts.ts'
import { useResetVotes, useSetVotingOpen } from './voting-changes.ts'
import { describeEntry } from './voting-texts.ts'

const ContestDialog = lazyComponent(() => import('./contest-dialog.tsx').then((code) => code.ContestDialog), {
  onFailure: ({ onClose }) => {
    onClose()
    toast({ title: 'The settings could not be loaded', description: UNREACHABLE, tone: 'danger' })
  },
})

const ArrangePhotosDialog = lazyComponent(
  () => import('./arrange-photos-dialog.tsx').then((code) => code.ArrangePhotosDialog),
  {
    onFailure: ({ onClose }) => {
      onClose()
      toast({ title: 'The photos could not be loaded', description: UNREACHABLE, tone: 'danger' })
    },
  },
)

interface VotingPanelProps {
  folder: Folder
  /** Undefined until it is known. */
  contest: Contest | undefined
  /** Undefined until they are known, and where ballots are secret. */
  voters: VoterCounts | undefined
  /** The number of votes that count. */
  votes: number
}

/**
 * The contest in short: whether voting is open and until when, who votes and what they see. The owner opens, closes and resets it here.
 * Closing asks first: visitors notice it at once.
 */
export function VotingPanel({ folder, contest, voters, votes }: VotingPanelProps) {
  const id = useId()
  const now = useNow()
  const change = useSetVotingOpen(folder)
  const reset = useResetVotes(folder.id)
  const [dialog, setDialog] = useState<'closing' | 'reopening' | 'settings' | 'order' | null>(null)
  const close = () => setDialog(null)
  const isOpen = contest ? contest.phase === 'open' : folder.votingOpen
  const open = change.isPending ? change.variables : isOpen
  return (
    <section
      aria-label="Voting"
      className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line"
    >
      <Switch
        checked={open}
        onCheckedChange={(next) => {
          if (!next) setDialog('closing')
          else if (contest?.phase === 'closed' && contest.resultsPublic) setDialog('reopening')
          else if (!change.isPending) change.mutate(true)
        }}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-explanation`}
      />
      <div className="min-w-0 flex-1 basis-60">
        <p id={`${id}-name`} className="font-semibold">
          {open ? 'Voting is open' : contest?.phase === 'before' ? 'Voting is not open yet' : 'Voting is closed'}
        </p>
        <p id={`${id}-explanation`} className="text-sm text-pretty text-muted">
          {describeVoting(contest, open, folder.isPublic, now)}
        </p>
      </div>
      {contest && (
        <Button className="max-sm:flex-1" onClick={() => setDialog('settings')}>
          <Settings2 aria-hidden /> Contest settings
        </Button>
      )}
      {(voters ? voters.total : votes) > 0 && (
        <ConfirmButton
          button={{ variant: 'quiet', className: 'max-sm:-ml-4', children: 'Reset votes' }}
          change={reset}
          title="Reset all votes?"
          description={`${voters ? `The ballots of ${countOf(voters.total - voters.excluded, 'voter')}` : 'All ballots'} are deleted, with the ${countOf(votes, 'vote')} that ${votes === 1 ? 'counts' : 'count'} now. Photos and links stay; everyone can vote again, but ballots that you excluded stay excluded. This action cannot be undone.`}
          confirmLabel="Reset votes"
          danger
          onConfirm={(options) => reset.mutate(undefined, options)}
        />
      )}
      <ConfirmChange
        open={dialog === 'closing'}
        onClose={close}
        change={change}
        title="Close the voting?"
        description="From this moment nobody can vote, change a vote or remove one, not even you. Visitors see that voting is closed. You can open it again at any time."
        confirmLabel="Close voting"
        onConfirm={(options) => change.mutate(false, options)}
      />
      <ConfirmChange
        open={dialog === 'reopening'}
        onClose={close}
        change={change}
        title="Open the voting again?"
        description="Its results are published. Visitors do not see them until you close the voting again; then they count all votes."
        confirmLabel="Open voting"
        onConfirm={(options) => change.mutate(true, options)}
      />
      {contest && dialog === 'settings' && (
        <ContestDialog folderId={folder.id} contest={contest} onArrange={() => setDialog('order')} onClose={close} />
      )}
      {dialog === 'order' && <ArrangePhotosDialog folderId={folder.id} onClose={close} />}
    </section>
  )
}

function describeVoting(contest: Contest | undefined, open: boolean, isPublic: boolean, now: number): string {
  const isBefore = contest?.phase === 'before'
  const moment = contest && open === (contest.phase === 'open') ? describeMoment(contest, now) : ''
  if (!open && !isBefore) {
    return `${moment}Nobody can vote, change a vote or remove one, not even you. The standings change only by what you exclude, reset or withdraw.`
  }
  return contest ? moment + describeRules(contest, isPublic) : 'Close it to freeze the standings.'
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
      <p className="mb-3 text-sm text-muted">
        Every exclusion, reset, opening, closing and change of the contest is kept.
      </p>
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
