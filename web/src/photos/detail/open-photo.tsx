import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { indexOfPhoto, photoAt, photoQuery } from '../../api/photo-cache.ts'
import { PHOTOS_PER_PAGE, type PhotoList, photoPageQuery } from '../../api/photo-lists.ts'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { isPrintWizardOpen } from '../open-print-wizard.ts'
import type { useOpenPhoto } from '../use-open-photo.ts'
import type { DialogActions } from './photo-actions.tsx'
import { PhotoDialog } from './photo-dialog.tsx'

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
