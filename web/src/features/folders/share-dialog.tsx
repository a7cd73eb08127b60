import { Copy, ExternalLink, Lock, RefreshCw, Share2 } from 'lucide-react'
import { useId } from 'react'
import type { Folder } from '../../api/types.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { useSetShowMap } from '../../photos/folder-changes.ts'
import { ConfirmButton } from './confirm-change.tsx'
import { useNewLink } from './folder-changes.ts'

const LINKS = [
  { label: 'Voting link', hint: 'Visitors see the photos and rank their first, second and third.', path: 'share' },
  { label: 'View-only link', hint: 'Visitors see the photos and cannot vote.', path: 'browse' },
]

const NEW_LINK = (
  <>
    <RefreshCw aria-hidden /> New link
  </>
)

/** The links of a public folder; the first is what users need most often. */
export function ShareDialog({ folder, open, onClose }: { folder: Folder; open: boolean; onClose: () => void }) {
  const renew = useNewLink(folder.id)
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title="Share folder"
      description="Who has a link needs no account."
    >
      {folder.isPublic ? (
        <div className="grid gap-5 pb-2">
          {LINKS.map((link, index) => (
            <ShareLink key={link.path} {...link} folder={folder} main={index === 0} />
          ))}
          <MapSwitch folder={folder} />
          <div className="border-t border-line pt-3">
            <ConfirmButton
              button={{ variant: 'quiet', size: 'small', className: '-ml-3', children: NEW_LINK }}
              change={renew}
              title="Make new links?"
              description="Both links stop working at once, for everyone who has them. The votes are kept."
              confirmLabel="Make new links"
              danger
              onConfirm={(options) => renew.mutate(undefined, options)}
            />
          </div>
        </div>
      ) : (
        // The folder became private while the dialog was open.
        <p role="status" className="flex items-start gap-3 rounded-md bg-sunken px-4 py-3">
          <Lock aria-hidden className="mt-1 size-4 shrink-0" />
          <span>
            <b className="block font-semibold">Folder is private</b> Make the folder public first to share it.
          </span>
        </p>
      )}
    </Dialog>
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

type ShareLinkProps = (typeof LINKS)[number] & { folder: Folder; main: boolean }

/** A link with buttons to open, share and copy it. */
function ShareLink({ label, hint, path, folder, main }: ShareLinkProps) {
  const link = `${location.origin}/${path}/${folder.shareCode}`
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div className="flex items-center gap-1 max-sm:flex-wrap">
          <Input
            {...control}
            readOnly
            value={link}
            onFocus={(event) => event.target.select()}
            className="min-w-0 max-sm:mb-1 sm:flex-1"
          />
          <a
            href={link}
            target="_blank"
            rel="noreferrer"
            aria-label={`Open the ${label.toLowerCase()}`}
            title={`Open the ${label.toLowerCase()}`}
            className="inline-grid size-11 place-items-center rounded-md text-muted transition hover:bg-sunken hover:text-text sm:size-9"
          >
            <ExternalLink aria-hidden className="size-[18px]" />
          </a>
          {'share' in navigator && (
            <IconButton
              label={`Share the ${label.toLowerCase()}`}
              icon={<Share2 />}
              onClick={() => share(folder.name, link)}
            />
          )}
          <Button
            variant={main ? 'primary' : 'secondary'}
            data-autofocus={main || undefined}
            aria-label={`Copy link: ${label.toLowerCase()}`}
            className="ml-1 max-sm:flex-1"
            onClick={() => copy(link)}
          >
            <Copy aria-hidden /> Copy link
          </Button>
        </div>
      )}
    </Field>
  )
}

async function copy(link: string): Promise<void> {
  if (await copyText(link)) toast({ title: 'Link copied' })
  else toast({ title: 'Failed to copy', description: 'Could not copy link to clipboard', tone: 'danger' })
}

async function share(title: string, url: string): Promise<void> {
  try {
    await navigator.share({ title, url })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return // The user closed the share dialog.
    await copy(url)
  }
}
