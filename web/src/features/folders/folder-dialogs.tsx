import { useMemo } from 'react'
import type { Folder } from '../../api/types.ts'
import { countOf } from '../../lib/format.ts'
import { DownloadDialog } from '../../photos/download-dialog.tsx'
import { ArrangePhotosDialog } from './arrange-photos-dialog.tsx'
import { ConfirmChange } from './confirm-change.tsx'
import { useDeleteFolder, useSetFolderPublic } from './folder-changes.ts'
import { EditFolderDialog } from './folder-form-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

// One file: they share the form.
export { CreateFolderDialog } from './folder-form-dialog.tsx'

export type FolderAction = 'edit' | 'arrange' | 'share' | 'visibility' | 'download' | 'delete'

interface FolderDialogsProps {
  folder: Folder
  /** The open dialog. */
  action: FolderAction | null
  onClose: () => void
  onDeleted?: () => void
}

export function FolderDialogs({ folder, action, onClose, onDeleted }: FolderDialogsProps) {
  const { id, name, isPublic } = folder
  const setPublic = useSetFolderPublic(id)
  const remove = useDeleteFolder()
  // The same object while the dialog is open.
  const download = useMemo(
    () => ({ title: `Download “${name}”`, name, photos: { filter: { folder: String(id) }, except: [] } }),
    [id, name],
  )
  return (
    <>
      <EditFolderDialog folder={folder} open={action === 'edit'} onClose={onClose} />
      {action === 'arrange' && <ArrangePhotosDialog folderId={id} onClose={onClose} />}
      <ShareDialog folder={folder} open={action === 'share'} onClose={onClose} />
      <ConfirmChange
        open={action === 'visibility'}
        onClose={onClose}
        change={setPublic}
        title={isPublic ? 'Make folder private?' : 'Make folder public?'}
        description={visibilitySentence(folder)}
        confirmLabel={isPublic ? 'Make private' : 'Make public'}
        onConfirm={(options) => setPublic.mutate(!isPublic, options)}
      />
      <DownloadDialog request={action === 'download' ? download : null} onClose={onClose} />
      <ConfirmChange
        open={action === 'delete'}
        onClose={onClose}
        change={{ ...remove, isError: remove.failure !== null }}
        title={`Delete “${name}”?`}
        description="Its photos stay in your gallery, without a folder. Its links and its votes are deleted. This action cannot be undone."
        confirmLabel="Delete folder"
        danger
        onConfirm={({ onSuccess }) =>
          remove.mutate(id, {
            onSuccess() {
              onSuccess()
              onDeleted?.()
            },
          })
        }
      />
    </>
  )
}

/** The effect of a visibility change on the folder, its link and its photos. */
function visibilitySentence({ name, isPublic, photoCount }: Folder): string {
  const photos = photoCount === 0 ? '' : photoCount === 1 ? ' Its photo' : ` All ${countOf(photoCount, 'photo')} in it`
  const become = photoCount === 1 ? 'becomes' : 'become'
  if (isPublic) {
    return `The links to “${name}” stop working at once.${photos && `${photos} ${become} private.`} The votes are kept.`
  }
  return `Anyone who has the link will see “${name}” and can rank its photos.${photos && `${photos} ${become} public.`}`
}
