import { ImageOff } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPhoto, Rank } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge, RANK_NAMES, RankMark, SphereBadge } from '../../components/ui/badge.tsx'
import { altText, formatDate } from '../../lib/format.ts'
import { isDng, sourcesForBox } from '../../photos/renditions.ts'
import { PUBLIC_BOX } from './public-layout.ts'

interface PublicCardProps {
  photo: PublicPhoto
  inFirstRow: boolean
  /** The rank that a click on the picture gives; otherwise it opens the photo. */
  armed?: Rank | null
  onClick: () => void
  /** The picture's bytes were rejected. */
  onPictureError: () => void
  /** Beside the title. */
  menu?: ReactNode
  /** Below the title. */
  children: ReactNode
}

/** One photo of a public folder: its picture, which is a button, and its caption. */
export function PublicCard(props: PublicCardProps) {
  const { photo, inFirstRow, armed, onClick, onPictureError, menu, children } = props
  return (
    <>
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
        {/* Follows the picture's text in the name of the button. */}
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
      </button>
      <div className="flex items-start justify-between gap-3 px-0.5 pt-2.5">
        <div className="min-w-0">
          <h3 className="truncate font-semibold">{photo.title || 'Untitled'}</h3>
          {children}
        </div>
        {menu}
      </div>
    </>
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

/** 'Uploaded June 21, 2025'. */
export function uploadDate({ createdAt }: PublicPhoto): string {
  const date = formatDate(createdAt)
  return date === null ? 'Unknown date' : `Uploaded ${date}`
}
