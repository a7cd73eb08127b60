import { useDeletePhoto } from '../api/photo-changes.ts'
import type { Photo } from '../api/types.ts'
import { ConfirmDialog } from '../components/ui/confirm-dialog.tsx'

/** The words of a screen for deleting a photo. */
export interface Deletion {
  title: string
  description: string
  /** Title of the notice when it did not work. */
  failureTitle: string
}

interface DeletePhotoDialogProps {
  /** Null: closed. */
  photo: Photo | null
  deletion: Deletion
  onClose: () => void
}

export function DeletePhotoDialog({ photo, deletion, onClose }: DeletePhotoDialogProps) {
  const remove = useDeletePhoto(deletion.failureTitle)
  return (
    <ConfirmDialog
      open={photo !== null}
      onOpenChange={(open) => !open && !remove.isPending && onClose()}
      title={deletion.title}
      description={deletion.description}
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={() => photo && remove.mutate(photo, { onSuccess: onClose })}
    />
  )
}
