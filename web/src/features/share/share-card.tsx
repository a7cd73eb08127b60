import { MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { altText, formatPlace } from '../../lib/format.ts'
import { isDng, pictureIn } from '../../lib/picture.ts'
import { NoPreview } from './no-preview.tsx'
import { SHARE_BOX } from './share-states.tsx'

interface ShareCardProps {
  photo: PublicPhoto
  onOpen: () => void
  /** The picture's bytes were refused. */
  onRefused: () => void
  /** The photo's rank menu. */
  children: ReactNode
}

/** One photo of a shared folder: the picture opens the viewer, the caption carries the vote. */
export function ShareCard({ photo, onOpen, onRefused, children }: ShareCardProps) {
  const place = formatPlace(photo)
  return (
    <li className="min-w-0">
      <button type="button" onClick={onOpen} className="relative block w-full rounded-lg">
        <PhotoImage
          {...pictureIn(SHARE_BOX, photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={isDng(photo) ? <NoPreview /> : undefined}
          onError={onRefused}
        />
        {isDng(photo) && (
          <span className="absolute top-2.5 left-2.5 flex">
            <Badge tone="overlay">DNG</Badge>
          </span>
        )}
      </button>
      <div className="flex items-start justify-between gap-3 px-0.5 pt-2.5">
        <div className="min-w-0">
          <h3 className="truncate font-semibold">{photo.title || 'Untitled'}</h3>
          {place && (
            <p className="flex items-center gap-1.5 text-sm text-muted">
              <MapPin aria-hidden className="size-3.5 shrink-0" />
              <span className="truncate">{place}</span>
            </p>
          )}
        </div>
        {children}
      </div>
    </li>
  )
}
