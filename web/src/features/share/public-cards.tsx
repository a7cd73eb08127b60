import { ImageOff, MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto, Rank } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { SphereBadge } from '../../components/sphere-badge.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { RANK_NAMES, RankMark } from '../../components/ui/rank-mark.tsx'
import { altText, formatDate, formatPlace } from '../../lib/format.ts'
import { isDng, sourcesForBox } from '../../photos/renditions.ts'
import { PUBLIC_BOX } from './public-layout.ts'

interface PublicPictureProps {
  photo: PublicPhoto
  inFirstRow: boolean
  onClick: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
  /** On top of the picture; its texts follow the picture's in the button's name. */
  children?: ReactNode
}

/** The picture of a card as a button. */
function PublicPicture({ photo, inFirstRow, onClick, onPictureError, children }: PublicPictureProps) {
  return (
    <button type="button" onClick={onClick} data-open className="relative block w-full rounded-lg">
      <PhotoImage
        {...sourcesForBox(PUBLIC_BOX, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        pending={photo.status === 'processing' ? 'Processing' : undefined}
        fallback={isDng(photo) ? <NoPreview /> : undefined}
        eager={inFirstRow && 'first'}
        onError={onPictureError}
      />
      {(isDng(photo) || photo.projection === 'sphere') && (
        <span className="absolute top-2.5 left-2.5 flex">
          {isDng(photo) ? <Badge tone="overlay">DNG</Badge> : <SphereBadge overlay />}
        </span>
      )}
      {children}
    </button>
  )
}

/** Shown for a photo that browsers cannot display. */
export function NoPreview() {
  return (
    <span className="absolute inset-0 flex flex-col items-center justify-center gap-2 p-3 text-sm text-muted">
      <ImageOff aria-hidden className="size-6" />
      <span className="first-letter:uppercase">preview not available</span>
    </span>
  )
}

/** Pixels under the picture: three lines of text. */
export const VIEW_ONLY_CAPTION_HEIGHT = 74

interface ViewOnlyCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  onOpen: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
}

/** One photo of a view-only folder. */
export function ViewOnlyCard({ photo, inFirstRow, onOpen, onPictureError }: ViewOnlyCardProps) {
  return (
    <>
      <PublicPicture photo={photo} inFirstRow={inFirstRow} onClick={onOpen} onPictureError={onPictureError} />
      <div className="px-0.5 pt-2.5">
        <h3 className="truncate font-semibold">{photo.title || 'Untitled'}</h3>
        {photo.city && photo.state && (
          <p className="truncate text-sm text-muted">
            {photo.city}, {photo.state}
          </p>
        )}
        <p className="text-sm text-muted">{uploadDate(photo)}</p>
      </div>
    </>
  )
}

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

/** 'Uploaded June 21, 2025'. */
export function uploadDate({ createdAt }: PublicPhoto): string {
  const date = formatDate(createdAt)
  return date === null ? 'Unknown date' : `Uploaded ${date}`
}
