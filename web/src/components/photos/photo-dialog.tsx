import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import type { Photo } from '../../api/types.ts'
import { altText } from '../../lib/format.ts'
import { isDng, pictureInWindow } from '../../lib/picture.ts'
import { PhotoImage } from '../photo-image.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RawPicture } from './no-picture.tsx'
import { PhotoCaption } from './photo-caption.tsx'

/** What the dialog's other parts take of the window's height, in pixels. */
const FRAME = 320

interface PhotoDialogProps {
  /** Null: closed. */
  photo: Photo | null
  onClose: () => void
  /** The dialog has gone: the focus goes back to where the screen wants it. */
  onClosed: () => void
  /** Absent at the ends of the list. */
  onPrevious?: () => void
  onNext?: () => void
}

/** One photo in large, with what is known of it; arrow keys show its neighbours. */
export function PhotoDialog({ photo, onClose, onClosed, onPrevious, onNext }: PhotoDialogProps) {
  const open = photo !== null
  const showByKey = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') onPrevious?.()
    if (key === 'ArrowRight') onNext?.()
  })
  useEffect(() => {
    if (!open) return
    const listen = (event: KeyboardEvent) => showByKey(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [open])

  return (
    <Dialog
      open={open}
      onOpenChange={(open) => !open && onClose()}
      onClosed={onClosed}
      title={photo?.title || 'Untitled Photo'}
      size="large"
      footer={
        <>
          <Button disabled={!onPrevious} onClick={onPrevious}>
            <ChevronLeft aria-hidden /> Previous
          </Button>
          <Button disabled={!onNext} onClick={onNext}>
            Next <ChevronRight aria-hidden />
          </Button>
        </>
      }
    >
      {photo && (
        <>
          <PhotoImage
            key={photo.id}
            {...pictureInWindow(FRAME, photo)}
            alt={altText(photo)}
            thumbhash={photo.thumbhash}
            fit="contain"
            eager
            pending={photo.status === 'processing' ? 'Processing' : undefined}
            fallback={isDng(photo) ? <RawPicture photo={photo} /> : undefined}
            className="aspect-3/2 rounded-md"
          />
          {photo.description && <p className="pt-4 wrap-anywhere">{photo.description}</p>}
          <div className="pt-3 text-sm/5 text-muted">
            <PhotoCaption photo={photo} />
          </div>
        </>
      )}
    </Dialog>
  )
}
