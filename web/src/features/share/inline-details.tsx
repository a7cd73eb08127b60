import { Calendar, ChevronLeft, ChevronRight, Rotate3d, X } from 'lucide-react'
import { type ComponentProps, type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { isDng, sourcesForWidth } from '../../components/renditions.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { altText } from '../../lib/format.ts'
import { MapLink, PairedFiles } from '../../photos/viewer/facts.tsx'
import { PhotoDownloads } from './photo-downloads.tsx'
import { NoPreview, uploadDate } from './public-folder.tsx'

const SCROLL_AFTER_MS = 100
const MAX_WIDTH = 1124

interface InlineDetailsProps {
  folder: PublicFolder
  photo: PublicPhoto
  /** '3 of 31'. */
  position: string
  /** Absent at the ends of the list. */
  onPrevious?: () => void
  onNext?: () => void
  onClose: () => void
  /** Opens a panorama to look around in it; absent for other photos. */
  onLookAround?: () => void
  onPictureError: () => void
}

/**
 * One photo in a card above the others; it scrolls into view and takes the focus. The arrow keys show its neighbours,
 * Escape closes it.
 */
export function InlineDetails(props: InlineDetailsProps) {
  const { folder, photo, position, onPrevious, onNext, onClose, onLookAround, onPictureError } = props
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    card.current?.focus({ preventScroll: true })
    const timer = setTimeout(() => {
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
      card.current?.scrollIntoView({ block: 'start', behavior: calm ? 'instant' : 'smooth' })
    }, SCROLL_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])

  function onKeyDown({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): void {
    if (altKey || ctrlKey || metaKey) return
    if (key === 'Escape') onClose()
    else if (key === 'ArrowLeft') onPrevious?.()
    else if (key === 'ArrowRight') onNext?.()
  }

  const { city, state, latitude, longitude, description, width, height } = photo
  const title = photo.title || 'Untitled'
  const ratio = width && height ? width / height : 3 / 2
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby="photo-details"
      onKeyDown={onKeyDown}
      className="relative mt-6 scroll-mt-[76px] overflow-hidden rounded-lg bg-surface shadow-low ring ring-line animate-appear beside:flex"
    >
      {/* In the ratio of the photo, so that it fills its box; the texts take what is left of the card. */}
      <div
        style={{ '--ratio': ratio } as CSSProperties}
        className="relative mx-auto aspect-(--ratio) w-[min(100%,70dvh*var(--ratio))] beside:mx-0 beside:w-[min(100%-320px,70dvh*var(--ratio))] beside:shrink-0"
      >
        <PhotoImage
          key={photo.id}
          {...sourcesForWidth(Math.min(innerWidth, MAX_WIDTH), photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={isDng(photo) ? <NoPreview /> : undefined}
          fit="contain"
          eager
          onError={onPictureError}
          className="size-full"
        />
        <StepButton label="Previous photo" icon={<ChevronLeft />} onClick={onPrevious} className="left-3" />
        <StepButton label="Next photo" icon={<ChevronRight />} onClick={onNext} className="right-3" />
        {onLookAround && (
          <Button size="small" onClick={onLookAround} className="absolute bottom-3 left-3 shadow-low">
            <Rotate3d aria-hidden /> Look around
          </Button>
        )}
      </div>
      <IconButton
        label="Close details"
        icon={<X />}
        variant="overlay"
        onClick={onClose}
        className="absolute top-3 right-3 shadow-low beside:shadow-none"
      />
      <div className="min-w-0 flex-1 p-4 sm:p-5">
        <div aria-live="polite" aria-atomic className="beside:pr-12">
          <p className="text-sm text-muted tabular-nums">{position}</p>
          <h2 id="photo-details" className="mt-1 text-xl font-semibold wrap-anywhere">
            {title}
          </h2>
        </div>
        <p className="mt-2">
          <Badge icon={<Calendar aria-hidden />}>{uploadDate(photo)}</Badge>
        </p>
        {city && state && <p className="mt-2 text-muted">{`Location: ${city}, ${state}`}</p>}
        {description && <p className="mt-2 max-w-[62ch] whitespace-pre-line wrap-anywhere">{description}</p>}
        {photo.raw && (
          <section aria-label="Files" className="mt-3 max-w-sm">
            <PairedFiles photo={photo} raw={photo.raw} />
          </section>
        )}
        {latitude !== null && longitude !== null && (
          <p className="mt-2">
            <MapLink latitude={latitude} longitude={longitude} />
          </p>
        )}
        <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
          <PhotoDownloads folder={folder} photo={photo} />
        </div>
      </div>
    </section>
  )
}

/** Disabled instead of removed at the ends, so that the focus stays where it is. */
function StepButton({ className, ...props }: ComponentProps<typeof IconButton>) {
  const classes = `absolute top-1/2 -translate-y-1/2 shadow-low aria-disabled:opacity-30 ${className}`
  return <IconButton {...props} variant="overlay" aria-disabled={!props.onClick} className={classes} />
}
