import { ImageOff } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { ToastHost } from '../../components/ui/toast.tsx'
import type { UnsavedEdits } from '../../components/unsaved-edits.tsx'
import { CloseButton } from '../viewer/close-button.tsx'
import { useFullScreen } from '../viewer/use-full-screen.ts'
import { DIALOG } from '../viewer/viewer-layout.ts'
import { OutageNotice } from './outage-notice.tsx'
import type { DialogActions } from './photo-actions.tsx'
import { PhotoPane } from './photo-pane.tsx'

interface PhotoDialogProps {
  open: boolean
  /** Undefined while it is loading, null if it does not exist (any more). */
  photo: Photo | null | undefined
  neighbours: readonly (Photo | undefined)[]
  /** Why loading failed. */
  error: unknown
  onRetry: () => void
  /** Its position in the list: '3 of 1,284'; null if that is not known. */
  position: string | null
  actions: DialogActions
  onClose: () => void
  /** The dialog has closed: the screen moves the focus. */
  onClosed: () => void
  /** Its form has, or no longer has, unsaved edits. */
  onEdited: (edited: boolean) => void
  unsaved: UnsavedEdits
  /** Absent at the ends of the list. */
  onPrevious?: () => void
  onNext?: () => void
}

/** The photo detail dialog: the picture, its facts and actions; arrow keys show its neighbours. */
export function PhotoDialog(props: PhotoDialogProps) {
  const { open, photo, neighbours, error, onRetry, position, actions, onClose, onClosed, onEdited, unsaved } = props
  const [editing, setEditing] = useState<number | null>(null)
  const isEditing = photo !== null && photo !== undefined && editing === photo.id
  const screen = useFullScreen(open)

  /** Escape leaves full screen, then the form, then the dialog. Returns whether there is something to leave. */
  function leavePart(): boolean {
    if (screen.full) screen.leave()
    else if (isEditing) unsaved.mayDrop(() => setEditing(null))
    else return false
    return true
  }

  /** A focused toast takes Escape for itself; inside the dialog Escape closes the dialog. */
  function closeByKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    if (!leavePart()) onClose()
  }

  return (
    <>
      {unsaved.question}
      <Dialog.Root open={open} onOpenChange={(next) => !next && unsaved.mayDrop(onClose)}>
        <Dialog.Portal>
          <Dialog.Content
            aria-describedby={undefined}
            onOpenAutoFocus={focusDialog}
            onCloseAutoFocus={(event) => {
              event.preventDefault()
              setEditing(null)
              onClosed()
            }}
            onEscapeKeyDown={(event) => leavePart() && event.preventDefault()}
            onKeyDown={closeByKey}
            className={`${DIALOG} z-50`}
          >
            {photo ? (
              <PhotoPane
                photo={photo}
                neighbours={neighbours}
                position={position}
                actions={actions}
                screen={screen}
                editing={isEditing}
                onEdit={isEditing ? leavePart : () => setEditing(photo.id)}
                onDone={() => setEditing(null)}
                onEdited={onEdited}
                onPrevious={isEditing ? undefined : props.onPrevious}
                onNext={isEditing ? undefined : props.onNext}
              />
            ) : (
              <NoPhoto photo={photo} error={error} onRetry={onRetry} onClose={onClose} />
            )}
            <ToastHost />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}

/** Focuses the dialog itself, so that its keys work at once. */
function focusDialog(event: Event): void {
  event.preventDefault()
  ;(event.currentTarget as HTMLElement).focus()
}

function NoPhoto({
  photo,
  error,
  onRetry,
  onClose,
}: Pick<PhotoDialogProps, 'photo' | 'error' | 'onRetry' | 'onClose'>) {
  const missing = photo === null && !error
  return (
    <div className="grid flex-1 place-content-center">
      <CloseButton className="absolute top-3 right-3" />
      <Dialog.Title className="sr-only">{missing ? 'Photo not found' : 'Photo'}</Dialog.Title>
      {error ? (
        <OutageNotice error={error} onRetry={onRetry} />
      ) : (
        !missing && <Spinner label="Loading" className="text-2xl" />
      )}
      {missing && (
        <EmptyState
          icon={<ImageOff />}
          title="Photo not found"
          description="It may have been deleted, or it belongs to somebody else."
          action={<Button onClick={onClose}>Close</Button>}
        />
      )}
    </div>
  )
}
