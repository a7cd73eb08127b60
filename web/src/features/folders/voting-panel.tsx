import { useId, useState } from 'react'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { countOf } from '../../lib/format.ts'
import { useResetVotes, useSetVotingOpen } from './voting-changes.ts'

interface VotingPanelProps {
  folder: Folder
  /** The number of ballots, including excluded and empty ones; undefined until it is known. */
  voters: number | undefined
  /** The number of votes that count. */
  votes: number
}

/** Shows whether voting is open, lets the owner open, close and reset it. */
export function VotingPanel({ folder, voters, votes }: VotingPanelProps) {
  const id = useId()
  const change = useSetVotingOpen(folder)
  const open = change.isPending ? change.variables : folder.votingOpen
  return (
    <section
      aria-label="Voting"
      className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line"
    >
      <Switch
        checked={open}
        onCheckedChange={(next) => change.isPending || change.mutate(next)}
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
      {voters !== undefined && voters > 0 && <ResetVotes folderId={folder.id} voters={voters} votes={votes} />}
    </section>
  )
}

function describeVoting(open: boolean, isPublic: boolean): string {
  if (!open) return 'Nobody can vote, change a vote or remove one, not even you. The standings stay as they are.'
  if (isPublic) return 'Everyone with the voting link can vote and change their vote. Close it to freeze the standings.'
  return 'The folder is private: only you can vote until you make it public.'
}

function ResetVotes({ folderId, voters, votes }: { folderId: number; voters: number; votes: number }) {
  const [confirming, setConfirming] = useState(false)
  const reset = useResetVotes(folderId)

  function close(): void {
    setConfirming(false)
    reset.reset()
  }

  return (
    <>
      <Button variant="quiet" className="max-sm:-ml-4" onClick={() => setConfirming(true)}>
        Reset votes
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={(open) => !open && !reset.isPending && close()}
        title="Reset all votes?"
        description={`The ballots of ${countOf(voters, 'voter')} are deleted, with the ${countOf(votes, 'vote')} that count now. Photos and links stay; everyone can vote again, but ballots that you excluded stay excluded. This action cannot be undone.`}
        confirmLabel={reset.isError ? 'Retry' : 'Reset votes'}
        danger
        busy={reset.isPending}
        onConfirm={() => reset.mutate(undefined, { onSuccess: close })}
      />
    </>
  )
}
