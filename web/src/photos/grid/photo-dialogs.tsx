import type { PhotoList } from '../../api/photo-lists.ts'
import { DeletePhotoDialog, type DeletionTexts } from '../delete-photo-dialog.tsx'
import { OpenPhoto } from '../detail/open-photo.tsx'
import { FolderChoiceDialog } from '../folder-choice-dialog.tsx'
import { MarkDialog } from '../mark-dialog.tsx'
import type { usePhotoDialogs } from './use-photo-dialogs.ts'

interface PhotoDialogsProps {
  dialogs: ReturnType<typeof usePhotoDialogs>
  list: PhotoList
  total: number
  more: boolean
  deletionTexts: DeletionTexts
  /** The list index of the photo that is shown. */
  onShown: (index: number) => void
  onClosed: () => void
  /** The open photo was deleted. */
  onOpenDeleted: () => void
}

/** The dialogs about single photos of a list. */
export function PhotoDialogs(props: PhotoDialogsProps) {
  const { dialogs, list, total, more, deletionTexts, onShown, onClosed, onOpenDeleted } = props
  const { opened, marking, moving, setMoving, deleting, setDeleting } = dialogs
  return (
    <>
      <OpenPhoto
        opened={opened}
        list={list}
        total={total}
        more={more}
        actions={{ marking: marking.busy, onMark: marking.mark, onMove: setMoving, onDelete: setDeleting }}
        onShown={onShown}
        onClosed={onClosed}
      />
      <FolderChoiceDialog photo={moving} onClose={() => setMoving(null)} />
      <DeletePhotoDialog
        photo={deleting}
        texts={deletionTexts}
        onDeleted={({ id }) => id === opened.id && onOpenDeleted()}
        onClose={() => setDeleting(null)}
      />
      <MarkDialog question={marking.question} onAnswer={marking.answer} />
    </>
  )
}
