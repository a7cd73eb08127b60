import type { Photo } from '../../api/types.ts'
import { PhotoImage } from '../../components/photo-image.tsx'
import { SphereBadge } from '../../components/ui/badge.tsx'
import { VisibilityIcon } from '../../components/visibility.tsx'
import { altText } from '../../lib/format.ts'
import { type Box, sourcesForBox } from '../renditions.ts'

interface DenseCardProps {
  photo: Photo
  /** The box of the picture, for choosing a rendition. */
  box: Box
  inFirstRow: boolean
  isPublic: boolean
}

/** A small picture: what can be done with the photo is in its dialog. */
export function DenseCard({ photo, box, inFirstRow, isPublic }: DenseCardProps) {
  return (
    <article
      aria-label={altText(photo)}
      title={photo.title}
      tabIndex={-1}
      data-ring
      className="rounded-sm outline-none"
    >
      <PhotoImage
        {...sourcesForBox(box, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        pending={photo.status === 'processing' ? 'Processing' : undefined}
        eager={inFirstRow && 'first'}
        className="aspect-3/2 rounded-sm"
      />
      {photo.projection === 'sphere' && (
        <span className="absolute top-1.5 left-1.5 flex">
          <SphereBadge overlay />
        </span>
      )}
      {!isPublic && (
        <span className="absolute bottom-1.5 left-1.5 grid size-6 place-items-center rounded-full bg-black/65 text-white">
          <VisibilityIcon isPublic={false} className="size-3" />
          <span className="sr-only">Private</span>
        </span>
      )}
      {photo.status === 'failed' && (
        <span className="absolute inset-x-0 bottom-0 truncate rounded-b-sm bg-danger-soft px-2 py-1 text-xs text-danger">
          Processing failed
        </span>
      )}
    </article>
  )
}
