import type { Photo } from '../api/types.ts'
import { ConfirmDialog } from '../components/ui/confirm-dialog.tsx'
import { useDeletePhoto } from './use-photo-changes.ts'

/** A screen's texts for deleting a photo. */
export interface DeletionTexts {
  title: string
  description: string
  /** Title of the toast after a failure. */
  failureTitle: string
}

interface DeletePhotoDialogProps {
  /** Null: closed. */
  photo: Photo | null
  texts: DeletionTexts
  /** Called also when the list is empty now, and its screen shows something else. */
  onDeleted?: (photo: Photo) => void
  onClose: () => void
}

export function DeletePhotoDialog({ photo, texts, onDeleted, onClose }: DeletePhotoDialogProps) {
  const remove = useDeletePhoto(texts.failureTitle, onDeleted)
  return (
    <ConfirmDialog
      open={photo !== null}
      onOpenChange={(open) => !open && !remove.isPending && onClose()}
      title={texts.title}
      description={texts.description}
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={() => photo && remove.mutate(photo, { onSuccess: onClose })}
    />
  )
}
