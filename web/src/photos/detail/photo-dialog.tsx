import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { indexOfPhoto, photoAt, photoQuery } from '../../api/photo-cache.ts'
import { PHOTOS_PER_PAGE, type PhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { isPrintWizardOpen } from '../printing.ts'
import type { useOpenPhoto } from '../use-open-photo.ts'
import { CloseButton, PhotoFrame, useFullScreen } from '../viewer/photo-frame.tsx'
import type { DialogActions } from './photo-actions.tsx'
import { OutageNotice, PhotoPane } from './photo-pane.tsx'

interface OpenPhotoProps {
  opened: ReturnType<typeof useOpenPhoto>
  list: PhotoList
  total: number
  /** The list may be longer. */
  more: boolean
  actions: DialogActions
  /** The list index of the photo that is shown. */
  onShown: (index: number) => void
  /** The dialog has closed: the screen moves the focus. */
  onClosed: () => void
}

/** The dialog of the open photo: the picture, its facts and actions; arrow keys show its neighbours in the list. */
export function OpenPhoto({ opened, list, total, more, actions, onShown, onClosed }: OpenPhotoProps) {
  const client = useQueryClient()
  const [editing, setEditing] = useState<number | null>(null)
  const [edited, setEdited] = useState(false)
  const unsaved = useUnsavedEdits(edited)
  const id = useHeld(opened.id, edited)
  const index = id === null ? -1 : indexOfPhoto(client, list, id)
  const listed = photoAt(client, list, index)
  const alone = useQuery({ ...photoQuery(id ?? 0), enabled: id !== null && !listed })
  // Undefined while it is loading, null if it does not exist (any more).
  const photo = listed ?? (id !== null ? alone.data : undefined)
  const isEditing = editing !== null && editing === photo?.id
  const isOpen = useOpenBelowWizard(id !== null)
  const screen = useFullScreen(isOpen)
  const position = index >= 0 ? `${formatNumber(index + 1)} of ${formatNumber(total)}${more ? '+' : ''}` : null

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

  function leaveForm(): boolean {
    if (isEditing) unsaved.mayDrop(() => setEditing(null))
    return isEditing
  }

  async function stepTo(target: number): Promise<void> {
    if (!photoAt(client, list, target)) {
      await client.fetchQuery(photoPageQuery(list, Math.floor(target / PHOTOS_PER_PAGE))).catch(() => {})
    }
    const next = photoAt(client, list, target)
    if (next) opened.step(next)
  }

  return (
    <>
      {unsaved.question}
      <PhotoFrame
        open={isOpen}
        screen={screen}
        leavePart={leaveForm}
        onClose={() => unsaved.mayDrop(close)}
        onClosed={(event) => {
          event.preventDefault()
          setEditing(null)
          onClosed()
        }}
        className="z-50"
      >
        {photo ? (
          <PhotoPane
            photo={photo}
            neighbours={[photoAt(client, list, index - 1), index >= 0 ? photoAt(client, list, index + 1) : undefined]}
            position={position}
            actions={actions}
            screen={screen}
            editing={isEditing}
            onEdit={isEditing ? leaveForm : () => setEditing(photo.id)}
            onDone={() => setEditing(null)}
            onEdited={setEdited}
            onPrevious={index > 0 && !isEditing ? () => stepTo(index - 1) : undefined}
            onNext={index >= 0 && index < total - 1 && !isEditing ? () => stepTo(index + 1) : undefined}
          />
        ) : (
          <NoPhoto isMissing={photo === null} error={alone.error} onRetry={() => alone.refetch()} onClose={close} />
        )}
      </PhotoFrame>
    </>
  )
}

interface NoPhotoProps {
  /** It does not exist; otherwise it is loading. */
  isMissing: boolean
  error: unknown
  onRetry: () => void
  onClose: () => void
}

function NoPhoto({ isMissing, error, onRetry, onClose }: NoPhotoProps) {
  const missing = isMissing && !error
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
