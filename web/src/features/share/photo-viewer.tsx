import { ChevronLeft, ChevronRight, MapPin, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { useFocusReturn } from '../../components/ui/focus-return.ts'
import { altText, formatCameraDate, formatPlace, formatRelative } from '../../lib/format.ts'
import { isDng, pictureInWindow } from '../../lib/picture.ts'
import { NoPreviewActions } from './no-preview.tsx'

interface PhotoViewerProps {
  photos: PublicPhoto[]
  photo: PublicPhoto
  onShow: (photo: PublicPhoto) => void
  onClose: () => void
  onRefused: () => void
  /** The photo's rank menu. */
  children: ReactNode
}

/** One photo over the whole window; arrow keys and swipes show its neighbours, Escape closes. */
export function PhotoViewer({ photos, photo, onShow, onClose, onRefused, children }: PhotoViewerProps) {
  const index = photos.findIndex(({ id }) => id === photo.id)
  const previous = photos[index - 1]
  const next = photos[index + 1]
  const returnFocus = useFocusReturn(true)
  const swipe = useSwipe((direction) => {
    const target = direction === 'left' ? next : previous
    if (target) onShow(target)
  })

  function showByKey(event: KeyboardEvent): void {
    if (event.target instanceof Element && event.target.closest('[role="menu"]')) return
    if (event.key === 'ArrowLeft' && previous) onShow(previous)
    if (event.key === 'ArrowRight' && next) onShow(next)
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onKeyDown={showByKey}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-0 z-40 flex flex-col bg-bg outline-none animate-appear"
        >
          <div className="flex items-center gap-3 px-4 py-2">
            <p aria-live="polite" className="text-sm text-muted">
              {index + 1} of {photos.length}
            </p>
            {isDng(photo) && <Badge>DNG</Badge>}
            <Dialog.Close asChild>
              <IconButton label="Close" icon={<X />} className="-mr-2 ml-auto" />
            </Dialog.Close>
          </div>
          <div className="relative min-h-0 flex-1 touch-pan-y" {...swipe}>
            <WholePicture key={photo.id} photo={photo} onRefused={onRefused} />
            <Step label="Previous photo" icon={<ChevronLeft />} side="left-3" target={previous} onShow={onShow} />
            <Step label="Next photo" icon={<ChevronRight />} side="right-3" target={next} onShow={onShow} />
          </div>
          <div className="flex items-start justify-between gap-4 px-4 pt-3 pb-[max(16px,env(safe-area-inset-bottom))] sm:px-7">
            <Caption photo={photo} />
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Pixels of the window's height that the bars above and below the picture take. */
const BARS = 150

/** The photo as large as fits. A raw one shows the picture that the camera put into the file only when asked to. */
function WholePicture({ photo, onRefused }: { photo: PublicPhoto; onRefused: () => void }) {
  const [embedded, setEmbedded] = useState(false)
  const picture = embedded ? { src: photo.previewUrl } : pictureInWindow(BARS, photo)
  const canShow = isDng(photo) && photo.previewUrl !== null && !embedded
  return (
    <PhotoImage
      {...picture}
      alt={altText(photo)}
      thumbhash={photo.thumbhash}
      pending={photo.status === 'processing' ? 'Processing' : undefined}
      fallback={<NoPreviewActions photo={photo} onShowEmbedded={canShow ? () => setEmbedded(true) : undefined} />}
      fit="contain"
      eager
      onError={onRefused}
      className="size-full animate-pop"
    />
  )
}

function Caption({ photo }: { photo: PublicPhoto }) {
  const place = formatPlace(photo)
  const taken = formatCameraDate(photo.dateTaken)
  return (
    <div className="min-w-0">
      <Dialog.Title className="truncate text-lg font-semibold">{photo.title || 'Untitled'}</Dialog.Title>
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
        {place && (
          <span className="flex items-center gap-1.5">
            <MapPin aria-hidden className="size-3.5" />
            {place}
          </span>
        )}
        <span>{taken ?? `Uploaded ${formatRelative(photo.createdAt)}`}</span>
      </p>
      {photo.description && <p className="mt-1 max-w-prose text-pretty text-muted">{photo.description}</p>}
    </div>
  )
}

interface StepProps {
  label: string
  icon: ReactNode
  side: string
  target: PublicPhoto | undefined
  onShow: (photo: PublicPhoto) => void
}

/** Disabled instead of gone at the ends, so that the focus stays inside the dialog. */
function Step({ label, icon, side, target, onShow }: StepProps) {
  return (
    <IconButton
      label={label}
      icon={icon}
      variant="overlay"
      aria-disabled={!target}
      onClick={() => target && onShow(target)}
      className={`absolute top-1/2 -translate-y-1/2 shadow-low aria-disabled:opacity-30 ${side}`}
    />
  )
}

const SWIPE_PIXELS = 48

function useSwipe(onSwipe: (direction: 'left' | 'right') => void) {
  const start = useRef<number | null>(null)
  return {
    onPointerDown: (event: React.PointerEvent) => {
      start.current = event.pointerType === 'touch' ? event.clientX : null
    },
    onPointerUp: (event: React.PointerEvent) => {
      if (start.current === null) return
      const moved = event.clientX - start.current
      start.current = null
      if (Math.abs(moved) >= SWIPE_PIXELS) onSwipe(moved < 0 ? 'left' : 'right')
    },
  }
}
