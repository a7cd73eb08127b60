import { Calendar, Rotate3d, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { altText } from '../../lib/format.ts'
import { isDng, sourcesForWidth } from '../../photos/renditions.ts'
import { MapLink, PairedFiles } from '../../photos/viewer/facts.tsx'
import { NoPreview, uploadDate } from './public-folder.tsx'

const SCROLL_AFTER_MS = 100
const MAX_WIDTH = 1124

interface InlineDetailsProps {
  photo: PublicPhoto
  onClose: () => void
  /** Opens a panorama to look around in it; absent for other photos. */
  onLookAround?: () => void
  onPictureError: () => void
}

/** One photo in a card above the others; it scrolls into view and takes the focus. Escape closes it. */
export function InlineDetails({ photo, onClose, onLookAround, onPictureError }: InlineDetailsProps) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    card.current?.focus({ preventScroll: true })
    const timer = setTimeout(() => {
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
      card.current?.scrollIntoView({ block: 'start', behavior: calm ? 'instant' : 'smooth' })
    }, SCROLL_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])

  const { city, state, latitude, longitude, description } = photo
  const title = photo.title || 'Untitled'
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby="photo-details"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="relative mt-6 scroll-mt-[76px] overflow-hidden rounded-lg bg-surface shadow-low ring ring-line animate-appear"
    >
      <div className="relative">
        <PhotoImage
          {...sourcesForWidth(Math.min(innerWidth, MAX_WIDTH), photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={isDng(photo) ? <NoPreview /> : undefined}
          fit="contain"
          eager
          onError={onPictureError}
          className="aspect-3/2 max-h-[70dvh] w-full"
        />
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
        className="absolute top-3 right-3 shadow-low"
      />
      <div className="p-4 sm:p-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="photo-details" className="text-xl font-semibold wrap-anywhere">
            {title}
          </h2>
          <Badge icon={<Calendar aria-hidden />}>{uploadDate(photo)}</Badge>
        </div>
        {city && state && <p className="mt-1 text-muted">{`Location: ${city}, ${state}`}</p>}
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
      </div>
    </section>
  )
}
