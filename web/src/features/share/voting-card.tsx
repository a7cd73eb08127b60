import { MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto, Rank } from '../../api/types.ts'
import { RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { formatPlace } from '../../lib/format.ts'
import { PublicPicture } from './public-picture.tsx'

/** Pixels under the picture: two lines of text. */
export const VOTING_CAPTION_HEIGHT = 54

interface VotingCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  /** The rank that a click on the picture gives; otherwise it opens the viewer. */
  armed: Rank | null
  onClick: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
  /** The photo's rank menu. */
  children: ReactNode
}

/** One photo of a shared folder: the picture opens the viewer or takes a rank, the caption contains the vote. */
export function VotingCard({ photo, inFirstRow, armed, onClick, onPictureError, children }: VotingCardProps) {
  const place = formatPlace(photo)
  return (
    <>
      <PublicPicture photo={photo} inFirstRow={inFirstRow} onClick={onClick} onPictureError={onPictureError}>
        {armed && (
          <span className="absolute inset-0 flex items-end rounded-lg p-2.5 ring-2 ring-accent">
            <span className="flex items-center gap-2 rounded-full bg-surface py-1.5 pr-3 pl-1.5 text-sm font-semibold shadow-low">
              <RankMark rank={armed} />
              <span>
                Choose<span className="sr-only"> for {RANK_NAMES[armed]}</span>
              </span>
            </span>
          </span>
        )}
      </PublicPicture>
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
