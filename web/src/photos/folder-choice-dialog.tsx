import { useQuery } from '@tanstack/react-query'
import { Check, Folder as FolderIcon, FolderPlus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { foldersQuery } from '../api/queries.ts'
import type { Folder, Photo } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { Field, Input } from '../components/ui/field.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { VisibilityIcon } from '../components/visibility.tsx'
import { cx } from '../lib/cx.ts'
import { ApiError, isRetryable } from '../lib/http.ts'
import { useCreateFolder } from './folder-changes.ts'
import { useMovePhoto } from './use-photo-changes.ts'

/** Chooses a photo's folder; choosing its current folder removes it from the folder. */
export function FolderChoiceDialog({ photo, onClose }: { photo: Photo | null; onClose: () => void }) {
  const move = useMovePhoto()

  function choose(folder: Folder): void {
    if (!photo) return
    move.mutate({ photo, folderId: photo.folderId === folder.id ? null : folder.id })
    onClose()
  }

  return (
    <Dialog
      open={photo !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Choose folder"
      description={
        photo?.folderId == null
          ? 'The photo takes the visibility of the folder.'
          : 'Choose the marked folder again to take the photo out of it.'
      }
    >
      <FolderList selectedId={photo?.folderId ?? null} onChoose={choose} />
    </Dialog>
  )
}

const OPTION = 'flex min-h-11 w-full items-center gap-3 rounded-md px-3 py-2 text-left transition hover:bg-sunken'

/** The user's folders as a choice, with one marked, and a new one. */
export function FolderList(props: { selectedId: number | null; onChoose: (folder: Folder) => void }) {
  const { selectedId, onChoose } = props
  const { data: folders, error, refetch } = useQuery(foldersQuery)
  const [creating, setCreating] = useState(false)
  if (error) return <QueryFailure query={{ error, refetch }} title="Folders could not be loaded" />
  if (!folders) return <Skeleton className="h-24 rounded-md" />
  if (creating) return <NewFolder onCreated={onChoose} onCancel={() => setCreating(false)} />
  return (
    <ul className="-mx-2 grid grid-cols-1 gap-1">
      <li>
        <button
          type="button"
          data-autofocus={folders.length === 0 || undefined}
          onClick={() => setCreating(true)}
          className={`${OPTION} font-medium`}
        >
          <FolderPlus aria-hidden className="size-5 shrink-0" /> New folder
        </button>
      </li>
      {folders.map((folder) => {
        const isChosen = folder.id === selectedId
        return (
          <li key={folder.id}>
            <button
              type="button"
              aria-pressed={isChosen}
              data-autofocus={folder.id === (selectedId ?? folders[0]?.id) || undefined}
              onClick={() => onChoose(folder)}
              className={cx(OPTION, isChosen && 'bg-accent-soft text-accent')}
            >
              <FolderIcon aria-hidden className="size-5 shrink-0" />
              <span className="min-w-0 flex-1 truncate font-medium">{folder.name}</span>
              <span className="flex items-center gap-1.5 text-sm text-muted">
                <VisibilityIcon isPublic={folder.isPublic} className="size-3.5" />
                <span>{folder.isPublic ? 'Public' : 'Private'}</span>
              </span>
              <Check aria-hidden className={cx('size-4', !isChosen && 'invisible')} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** Creates a private folder where one is chosen. No form element: it may be within one. */
export function NewFolder({ onCreated, onCancel }: { onCreated: (folder: Folder) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const create = useCreateFolder()
  const error = isMissing ? 'Folder name is required' : create.error ? nameError(create.error) : undefined

  function submit(): void {
    if (create.isPending) return
    setMissing(name.trim() === '')
    if (name.trim() !== '') create.mutate({ name, description: null }, { onSuccess: onCreated })
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') submit()
    else if (event.key === 'Escape') onCancel()
    else return
    // Neither the form nor the dialog around it gets the key.
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div ref={showWhole} className="grid gap-3 rounded-md bg-sunken p-3" data-takes-escape>
      <Field label="New folder" hint="Private until you make it public." error={error}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            autoComplete="off"
            placeholder="Name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={handleKey}
          />
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" variant="primary" busy={create.isPending} onClick={submit}>
          {create.error && isRetryable(create.error) ? 'Retry' : 'Create folder'}
        </Button>
      </div>
    </div>
  )
}

/** The focus would scroll to the field alone. */
function showWhole(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** A toast shows every failure; what concerns the name stays beside it. */
function nameError(error: Error): string | undefined {
  if (!(error instanceof ApiError) || isRetryable(error)) return undefined
  return error.body?.fields?.name ?? error.body?.message
}
