import { Lock, RefreshCw } from 'lucide-react'
import { useId, useState } from 'react'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { useSetShowMap } from '../../photos/folder-changes.ts'
import { useNewLink } from './folder-changes.ts'
import { ShareLink } from './share-link.tsx'

interface ShareDialogProps {
  folder: Folder
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The links of a public folder. */
export function ShareDialog({ folder, open, onOpenChange }: ShareDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Share folder" description="Who has a link needs no account.">
      {folder.isPublic ? <Links folder={folder} /> : <PrivateNotice />}
    </Dialog>
  )
}

function Links({ folder }: { folder: Folder }) {
  const { id, name, shareCode } = folder
  return (
    <div className="grid gap-5 pb-2">
      <ShareLink
        label="Voting link"
        hint="Visitors see the photos and rank their first, second and third."
        name={name}
        link={`${location.origin}/share/${shareCode}`}
        main
      />
      <ShareLink
        label="View-only link"
        hint="Visitors see the photos and cannot vote."
        name={name}
        link={`${location.origin}/browse/${shareCode}`}
      />
      <MapSwitch folder={folder} />
      <NewLink folderId={id} />
    </div>
  )
}

function MapSwitch({ folder }: { folder: Folder }) {
  const id = useId()
  const change = useSetShowMap(folder.id)
  return (
    <div className="flex items-start gap-4 border-t border-line pt-5">
      <Switch
        checked={change.isPending ? change.variables : folder.showMap}
        onCheckedChange={(next) => change.isPending || change.mutate(next)}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-explanation`}
      />
      <div className="min-w-0">
        <p id={`${id}-name`} className="font-semibold">
          Show a map to visitors
        </p>
        <p id={`${id}-explanation`} className="text-pretty text-muted">
          The map shows where each photo was taken; the details of each photo tell its position even without the map.
        </p>
      </div>
    </div>
  )
}

/** The folder became private while the dialog was open. */
function PrivateNotice() {
  return (
    <p role="status" className="flex items-start gap-3 rounded-md bg-sunken px-4 py-3">
      <Lock aria-hidden className="mt-1 size-4 shrink-0" />
      <span>
        <b className="block font-semibold">Folder is private</b> Make the folder public first to share it.
      </span>
    </p>
  )
}

/** Focuses a button that replaces the one that had the focus. */
const focusOnce = (button: HTMLButtonElement | null) => button?.focus()

/** Asks for confirmation first: the old links stop working. */
function NewLink({ folderId }: { folderId: number }) {
  const [confirming, setConfirming] = useState(false)
  const [wasConfirming, setWasConfirming] = useState(false)
  const renew = useNewLink(folderId)

  function confirm(): void {
    setConfirming(true)
    setWasConfirming(true)
  }

  function cancel(): void {
    setConfirming(false)
    renew.reset()
  }

  if (!confirming) {
    return (
      <div className="border-t border-line pt-3">
        <Button
          variant="quiet"
          size="small"
          className="-ml-3"
          ref={wasConfirming ? focusOnce : undefined}
          onClick={confirm}
        >
          <RefreshCw aria-hidden /> New link
        </Button>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      role="group"
      aria-labelledby="new-link"
      aria-describedby="new-link-effect"
      className="border-t border-line pt-4"
    >
      <p id="new-link" className="font-semibold">
        Make new links?
      </p>
      <p id="new-link-effect" className="text-muted">
        Both links above stop working at once, for everyone who has them. The votes are kept.
      </p>
      <div className="mt-3 flex gap-2 max-sm:*:flex-1 sm:justify-end">
        <Button ref={focusOnce} aria-disabled={renew.isPending} onClick={cancel}>
          Cancel
        </Button>
        <Button
          variant="danger"
          aria-disabled={renew.isPending}
          aria-busy={renew.isPending}
          onClick={() => renew.isPending || renew.mutate(undefined, { onSuccess: cancel })}
        >
          {renew.isError ? 'Retry' : 'Make new links'}
        </Button>
      </div>
    </div>
  )
}
