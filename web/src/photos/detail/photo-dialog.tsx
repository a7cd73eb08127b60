import { ImageOff } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { OVERLAY, PANEL } from '../../components/ui/dialog.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Spinner } from '../../components/ui/spinner.tsx'
import { cx } from '../../lib/cx.ts'
import { CloseButton } from '../viewer/close-button.tsx'
import { OutageNotice } from './outage-notice.tsx'
import { PhotoPane } from './photo-pane.tsx'

interface PhotoDialogProps {
  open: boolean
  /** Undefined while it is loading, null if it does not exist (any more). */
  photo: Photo | null | undefined
  /** Why loading failed. */
  error: unknown
  onRetry: () => void
  /** Its position in the list: '3 of 1,284'; null if that is not known. */
  position: string | null
  onClose: () => void
  /** The dialog has closed: the screen moves the focus. */
  onClosed: () => void
  /** Absent at the ends of the list. */
  onPrevious?: () => void
  onNext?: () => void
}

/** The photo detail dialog: the picture, its facts and actions; arrow keys show its neighbours. */
export function PhotoDialog(props: PhotoDialogProps) {
  const { open, photo, error, onRetry, position, onClose, onClosed, onPrevious, onNext } = props
  const [editing, setEditing] = useState<number | null>(null)
  const isEditing = photo !== null && photo !== undefined && editing === photo.id

  /** Unsaved input is not lost by a key or a click beside the dialog. */
  function keepUnsaved(event: Event): void {
    if (!isEditing) return
    event.preventDefault()
    if (event.type === 'keydown') setEditing(null)
  }

  /** A focused toast takes Escape for itself; inside the dialog Escape closes the dialog. */
  function closeByKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    if (isEditing) setEditing(null)
    else onClose()
  }

  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusDialog}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            setEditing(null)
            onClosed()
          }}
          onEscapeKeyDown={keepUnsaved}
          onKeyDown={closeByKey}
          onInteractOutside={keepUnsaved}
          className={cx(PANEL, 'h-[96dvh] max-h-none overflow-hidden sm:h-[90dvh] sm:max-h-none sm:max-w-[1400px]')}
        >
          <CloseButton />
          {photo ? (
            <PhotoPane
              photo={photo}
              position={position}
              editing={isEditing}
              onEditing={(on) => setEditing(on ? photo.id : null)}
              onPrevious={isEditing ? undefined : onPrevious}
              onNext={isEditing ? undefined : onNext}
            />
          ) : (
            <NoPhoto photo={photo} error={error} onRetry={onRetry} onClose={onClose} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
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
