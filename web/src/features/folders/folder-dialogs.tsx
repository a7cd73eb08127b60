import { useMemo } from 'react'
import type { Folder } from '../../api/types.ts'
import { countOf } from '../../lib/format.ts'
import { DownloadDialog } from '../../photos/download-dialog.tsx'
import { ConfirmChange } from './confirm-change.tsx'
import { useDeleteFolder, useSetFolderPublic } from './folder-changes.ts'
import { EditFolderDialog } from './folder-form-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

// One file: they share the form.
export { CreateFolderDialog } from './folder-form-dialog.tsx'

export type FolderAction = 'edit' | 'share' | 'visibility' | 'download' | 'delete'

interface FolderDialogsProps {
  folder: Folder
  /** The open dialog. */
  action: FolderAction | null
  onClose: () => void
  onDeleted?: () => void
}

export function FolderDialogs({ folder, action, onClose, onDeleted }: FolderDialogsProps) {
  const { id, name } = folder
  // The same object while the dialog is open.
  const download = useMemo(
    () => ({ title: `Download “${name}”`, name, photos: { filter: { folder: String(id) }, except: [] } }),
    [id, name],
  )
  return (
    <>
      <EditFolderDialog folder={folder} open={action === 'edit'} onClose={onClose} />
      <ShareDialog folder={folder} open={action === 'share'} onClose={onClose} />
      <VisibilityDialog folder={folder} open={action === 'visibility'} onClose={onClose} />
      <DownloadDialog request={action === 'download' ? download : null} onClose={onClose} />
      <DeleteDialog folder={folder} open={action === 'delete'} onClose={onClose} onDeleted={onDeleted} />
    </>
  )
}

interface ConfirmProps {
  folder: Folder
  open: boolean
  onClose: () => void
}

function VisibilityDialog({ folder, ...dialog }: ConfirmProps) {
  const change = useSetFolderPublic(folder.id)
  return (
    <ConfirmChange
      {...dialog}
      change={change}
      title={folder.isPublic ? 'Make folder private?' : 'Make folder public?'}
      description={visibilitySentence(folder)}
      confirmLabel={folder.isPublic ? 'Make private' : 'Make public'}
      onConfirm={(options) => change.mutate(!folder.isPublic, options)}
    />
  )
}

/** The effect of a visibility change on the folder, its link and its photos. */
function visibilitySentence({ name, isPublic, photoCount }: Folder): string {
  const photos = photoCount === 0 ? '' : photoCount === 1 ? ' Its photo' : ` All ${countOf(photoCount, 'photo')} in it`
  const become = photoCount === 1 ? 'becomes' : 'become'
  if (isPublic) {
    return `The link to “${name}” stops working at once.${photos && `${photos} ${become} private.`} The votes are kept.`
  }
  return `Anyone who has the link will see “${name}” and can rank its photos.${photos && `${photos} ${become} public.`}`
}

function DeleteDialog({ folder, onDeleted, ...dialog }: ConfirmProps & { onDeleted?: () => void }) {
  const remove = useDeleteFolder()
  return (
    <ConfirmChange
      {...dialog}
      change={{ ...remove, isError: remove.failure !== null }}
      title={`Delete “${folder.name}”?`}
      description="Its photos stay in your gallery, without a folder. Its link and its votes are deleted. This action cannot be undone."
      confirmLabel="Delete folder"
      danger
      onConfirm={({ onSuccess }) =>
        remove.mutate(folder.id, {
          onSuccess() {
            onSuccess()
            onDeleted?.()
          },
        })
      }
    />
  )
}
