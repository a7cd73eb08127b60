import { useState } from 'react'
import type { PhotoList } from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'
import { DeletePhotoDialog, type DeletionTexts } from '../delete-photo-dialog.tsx'
import { OpenPhoto } from '../detail/open-photo.tsx'
import { FolderChoiceDialog } from '../folder-choice-dialog.tsx'
import { MarkDialog } from '../mark-dialog.tsx'
import { useMarkForPrinting } from '../use-mark-for-printing.ts'
import { useOpenPhoto } from '../use-open-photo.ts'

/** The dialogs about single photos of a list, and the functions that open them. */
export function usePhotoDialogs() {
  const [moving, setMoving] = useState<Photo | null>(null)
  const [deleting, setDeleting] = useState<Photo | null>(null)
  const opened = useOpenPhoto()
  const marking = useMarkForPrinting()
  return { opened, marking, moving, setMoving, deleting, setDeleting }
}

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
