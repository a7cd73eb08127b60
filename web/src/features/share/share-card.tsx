import { MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { altText, formatPlace } from '../../lib/format.ts'

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
      <button type="button" onClick={onOpen} className="block w-full rounded-lg">
        <PhotoImage
          src={photo.thumbnailUrl}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          onError={onRefused}
        />
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
