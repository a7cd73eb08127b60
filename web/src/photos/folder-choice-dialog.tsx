import { useQuery } from '@tanstack/react-query'
import { Check, Folder as FolderIcon } from 'lucide-react'
import { useState } from 'react'
import { foldersQuery } from '../api/queries.ts'
import type { Folder, Photo } from '../api/types.ts'
import { Dialog } from '../components/ui/dialog.tsx'
import { ErrorState } from '../components/ui/empty-state.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { VisibilityIcon } from '../components/visibility.tsx'
import { cx } from '../lib/cx.ts'
import { errorMessage } from '../lib/http.ts'
import { NewFolder, NewFolderOption } from './new-folder.tsx'
import { useMovePhoto } from './use-photo-changes.ts'

interface FolderChoiceDialogProps {
  /** Null: closed. */
  photo: Photo | null
  onClose: () => void
}

/** Chooses a photo's folder; choosing its current folder removes it from the folder. */
export function FolderChoiceDialog({ photo, onClose }: FolderChoiceDialogProps) {
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

interface FolderListProps {
  /** The marked folder. */
  selectedId: number | null
  onChoose: (folder: Folder) => void
}

/** The user's folders as a choice, and a new one. */
export function FolderList({ selectedId, onChoose }: FolderListProps) {
  const folders = useQuery(foldersQuery)
  const [creating, setCreating] = useState(false)
  if (folders.isPending) return <Skeleton className="h-24 rounded-md" />
  if (folders.isError) {
    return (
      <ErrorState
        title="Folders could not be loaded"
        description={errorMessage(folders.error)}
        onRetry={() => folders.refetch()}
      />
    )
  }
  if (creating) return <NewFolder onCreated={onChoose} onCancel={() => setCreating(false)} />
  return (
    <ul className="-mx-2 grid grid-cols-1 gap-1">
      <li>
        <NewFolderOption focused={folders.data.length === 0} onChoose={() => setCreating(true)} />
      </li>
      {folders.data.map((folder) => (
        <li key={folder.id}>
          <FolderOption
            folder={folder}
            chosen={folder.id === selectedId}
            focused={folder.id === (selectedId ?? folders.data[0]?.id)}
            onChoose={() => onChoose(folder)}
          />
        </li>
      ))}
    </ul>
  )
}

interface FolderOptionProps {
  folder: Folder
  chosen: boolean
  focused: boolean
  onChoose: () => void
}

function FolderOption({ folder, chosen, focused, onChoose }: FolderOptionProps) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      data-autofocus={focused || undefined}
      onClick={onChoose}
      className={cx(
        'flex min-h-11 w-full items-center gap-3 rounded-md px-3 py-2 text-left transition hover:bg-sunken',
        chosen && 'bg-accent-soft text-accent',
      )}
    >
      <FolderIcon aria-hidden className="size-5 shrink-0" />
      <span className="min-w-0 flex-1 truncate font-medium">{folder.name}</span>
      <span className="flex items-center gap-1.5 text-sm text-muted">
        <VisibilityIcon isPublic={folder.isPublic} className="size-3.5" />
        {folder.isPublic ? 'Public' : 'Private'}
      </span>
      <Check aria-hidden className={cx('size-4', !chosen && 'invisible')} />
    </button>
  )
}
