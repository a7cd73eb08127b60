import { MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { formatPlace } from '../../lib/format.ts'
import { PublicPicture } from './public-picture.tsx'

/** Pixels under the picture: two lines of text. */
export const VOTING_CAPTION_HEIGHT = 54

interface VotingCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  onOpen: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
  /** The photo's rank menu. */
  children: ReactNode
}

/** One photo of a shared folder: the picture opens the viewer, the caption contains the vote. */
export function VotingCard({ photo, inFirstRow, onOpen, onPictureError, children }: VotingCardProps) {
  const place = formatPlace(photo)
  return (
    <>
      <PublicPicture photo={photo} inFirstRow={inFirstRow} onOpen={onOpen} onPictureError={onPictureError} />
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
    </>
  )
}
