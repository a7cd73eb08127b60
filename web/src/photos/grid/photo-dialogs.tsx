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

/** The question before photos are deleted. `hasPairs`: whether some are pairs, or may be. */
export function deletionQuestion(count: number, label: string, hasPairs: boolean): string {
  const photos = count === 1 ? 'this photo' : `these ${label}`
  const rawFiles = count === 1 ? ' with its raw file' : ' with the raw files that they have'
  return `Are you sure you want to delete ${photos}${hasPairs ? rawFiles : ''}? This action cannot be undone.`
}

const DELETION = {
  gallery: {
    title: 'Delete Photo',
    question: (hasRaw: boolean) => deletionQuestion(1, '', hasRaw),
    failureTitle: 'Error deleting photo',
  },
  folder: {
    title: 'Are you sure?',
    question: (hasRaw: boolean) =>
      `This action cannot be undone. This will permanently delete this photo${hasRaw ? ' with its raw file' : ''} from your account and remove it from all folders.`,
    failureTitle: 'Error',
  },
}

/** Deletes a photo for good; of an administrator who deletes another's, the password may be demanded. */
function DeleteDialog({ dialogs, list, onOpenDeleted }: PhotoDialogsProps) {
  const texts = DELETION[list.folderId === null ? 'gallery' : 'folder']
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
      toast({ title: texts.failureTitle, description, tone: 'danger' })
    },
  })
  return (
    <ConfirmDialog
      open={photo !== null}
      onOpenChange={(open) => !open && !remove.isPending && close()}
      title={texts.title}
      description={texts.question(Boolean(photo?.raw))}
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={() => photo && remove.mutate(photo, { onSuccess: close })}
    />
  )
}
