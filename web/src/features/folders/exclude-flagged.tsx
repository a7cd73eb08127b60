import { useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { countOf } from '../../lib/format.ts'
import { useExcludeFlagged } from './voting-changes.ts'

/** Excludes all flagged ballots from the standings after confirmation, or restores all excluded ones. */
export function ExcludeFlagged({ folderId, total }: { folderId: number; total: number }) {
  const [confirming, setConfirming] = useState(false)
  const change = useExcludeFlagged(folderId)
  const restoring = change.isPending && change.variables === false

  function close(): void {
    setConfirming(false)
    change.reset()
  }

  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Button size="small" onClick={() => setConfirming(true)}>
        Exclude all flagged
      </Button>
      <Button size="small" variant="quiet" busy={restoring} onClick={() => change.mutate(false)}>
        Restore all excluded
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={(open) => !open && !change.isPending && close()}
        title="Exclude all flagged ballots?"
        description={`${countOf(total, 'flagged ballot')} will add nothing to the standings, except your own. Flags prove nothing: people on one network may be among them. You can restore all of them later.`}
        confirmLabel={change.isError ? 'Retry' : 'Exclude all flagged'}
        danger
        busy={change.isPending}
        onConfirm={() => change.mutate(true, { onSuccess: close })}
      />
    </div>
  )
}
