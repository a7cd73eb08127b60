import { useQueryClient } from '@tanstack/react-query'
import { useGuardedMutation } from '../../api/guarded-mutation.ts'
import { deletePhoto } from '../../api/photo-changes.ts'
import type { Photo } from '../../api/types.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import { OpenPhoto, type OpenPhotoProps } from '../detail/photo-dialog.tsx'
import { FolderChoiceDialog } from '../folder-choice-dialog.tsx'
import type { MarkQuestion } from './use-photo-dialogs.ts'

interface PhotoDialogsProps extends OpenPhotoProps {
  /** The open photo was deleted. */
  onOpenDeleted: () => void
}

export function PhotoDialogs(props: PhotoDialogsProps) {
  const { marking, moving, setMoving } = props.dialogs
  return (
    <>
      <OpenPhoto {...props} />
      <FolderChoiceDialog photo={moving} onClose={() => setMoving(null)} />
      <DeleteDialog {...props} />
      <ConfirmDialog
        open={marking.question !== null}
        onOpenChange={(open) => !open && marking.answer(false)}
        title="Mark for printing?"
        description={marking.question && describeMark(marking.question)}
        confirmLabel="Mark for printing"
        onConfirm={() => marking.answer(true)}
      />
    </>
  )
}

/** What is lost when a photo is marked for printing that leaves a folder with votes. */
function describeMark({ folder, votes }: MarkQuestion): string {
  const leaves = `It moves to the folder Printed and leaves “${folder.name}”`
  if (votes === 0) return `${leaves}: visitors can no longer vote for it.`
  return `${leaves}, its votes no longer count. Once it is back they count again, except those that were changed meanwhile.`
}

/** The question before photos are deleted. `hasPairs`: whether some are pairs; undefined where that is not known. */
export function deletionQuestion(count: number, label: string, hasPairs: boolean | undefined): string {
  const photos = count === 1 ? 'this photo' : `these ${label}`
  const rawFiles = hasPairs ? (count === 1 ? 'its raw file' : 'their raw files') : 'any raw files'
  const all = hasPairs === false ? photos : `${photos} with ${rawFiles}`
  return `Are you sure you want to delete ${all}? This action cannot be undone.`
}

/** Deletes a photo for good; of an administrator who deletes another's, the password may be demanded. */
function DeleteDialog({ dialogs, onOpenDeleted }: PhotoDialogsProps) {
  const { opened, deleting: photo, setDeleting } = dialogs
  const client = useQueryClient()
  const close = () => setDeleting(null)
  const remove = useGuardedMutation({
    run: (deleted: Photo) => deletePhoto(client, deleted),
    // Called also when the list is empty now, and its screen shows something else.
    onSuccess: (_, { id }) => {
      toast({ title: 'Photo deleted', description: 'The photo has been successfully deleted' })
      if (id === opened.id) onOpenDeleted()
    },
    onError: (error) => {
      const description = errorMessage(error, 'Failed to delete photo')
      toast({ title: 'Error deleting photo', description, tone: 'danger' })
    },
  })
  return (
    <ConfirmDialog
      open={photo !== null}
      onOpenChange={(open) => !open && !remove.isPending && close()}
      title="Delete Photo"
      description={deletionQuestion(1, '', Boolean(photo?.raw))}
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={() => photo && remove.mutate(photo, { onSuccess: close })}
    />
  )
}
