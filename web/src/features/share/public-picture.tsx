import type { ReactNode } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Badge, SphereBadge } from '../../components/ui/badge.tsx'
import { altText } from '../../lib/format.ts'
import { isDng, sourcesForBox } from '../../photos/renditions.ts'
import { NoPreview } from './no-preview.tsx'
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
export function PublicPicture({ photo, inFirstRow, onClick, onPictureError, children }: PublicPictureProps) {
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
