import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  indexOfPhoto,
  PHOTOS_PER_PAGE,
  type PhotoList,
  photoAt,
  photoPageQuery,
  photoQuery,
} from '../../api/photo-lists.ts'
import type { Photo } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Spinner } from '../../components/ui/spinner.tsx'
import { ToastHost } from '../../components/ui/toast.tsx'
import { type UnsavedEdits, useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/use-store.ts'
import { isPrintWizardOpen } from '../open-print-wizard.ts'
import type { useOpenPhoto } from '../use-open-photo.ts'
import { CloseButton, DIALOG, useFullScreen } from '../viewer/photo-frame.tsx'
import type { DialogActions } from './photo-actions.tsx'
import { OutageNotice, PhotoPane } from './photo-pane.tsx'

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
function PhotoDialog(props: PhotoDialogProps) {
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

interface OpenPhotoProps {
  opened: ReturnType<typeof useOpenPhoto>
  list: PhotoList
  total: number
  /** The list may be longer. */
  more: boolean
  actions: DialogActions
  /** The list index of the photo that is shown. */
  onShown: (index: number) => void
  onClosed: () => void
}

/** The dialog of the open photo, with its neighbours in the list. */
export function OpenPhoto({ opened, list, total, more, actions, onShown, onClosed }: OpenPhotoProps) {
  const client = useQueryClient()
  const [edited, setEdited] = useState(false)
  const unsaved = useUnsavedEdits(edited)
  const id = useHeld(opened.id, edited)
  const index = id === null ? -1 : indexOfPhoto(client, list, id)
  const listed = photoAt(client, list, index)
  const alone = useQuery({ ...photoQuery(id ?? 0), enabled: id !== null && !listed })
  const photo = listed ?? (id !== null ? alone.data : undefined)
  const isOpen = useOpenBelowWizard(id !== null)

  useEffect(() => {
    if (index >= 0) onShown(index)
  }, [index, onShown])

  const askAfterBack = useEffectEvent(() => {
    if (!photo) return
    opened.open(photo)
    unsaved.mayDrop(close)
  })
  // The browser's Back closes the photo, but not its unsaved edits.
  const isLeft = id !== opened.id
  useEffect(() => {
    if (isLeft) askAfterBack()
  }, [isLeft])

  function close(): void {
    setEdited(false)
    opened.close()
  }

  async function stepTo(target: number): Promise<void> {
    if (!photoAt(client, list, target)) {
      await client.fetchQuery(photoPageQuery(list, Math.floor(target / PHOTOS_PER_PAGE))).catch(() => {})
    }
    const next = photoAt(client, list, target)
    if (next) opened.step(next)
  }

  return (
    <PhotoDialog
      open={isOpen}
      photo={photo}
      neighbours={[photoAt(client, list, index - 1), index >= 0 ? photoAt(client, list, index + 1) : undefined]}
      error={alone.error}
      onRetry={() => alone.refetch()}
      position={index >= 0 ? `${formatNumber(index + 1)} of ${formatNumber(total)}${more ? '+' : ''}` : null}
      actions={actions}
      onClose={close}
      onClosed={onClosed}
      onEdited={setEdited}
      unsaved={unsaved}
      onPrevious={index > 0 ? () => stepTo(index - 1) : undefined}
      onNext={index >= 0 && index < total - 1 ? () => stepTo(index + 1) : undefined}
    />
  )
}

/** The last value from before it was held. */
function useHeld<T>(value: T, held: boolean): T {
  const last = useRef(value)
  if (!held) last.current = value
  return last.current
}

/** A dialog that opens later is on top of the others: below an open print wizard the photo waits until it has closed. */
function useOpenBelowWizard(wanted: boolean): boolean {
  const isCovered = useStore(isPrintWizardOpen)
  const wasOpen = useRef(false)
  wasOpen.current = wanted && (wasOpen.current || !isCovered)
  return wasOpen.current
}
