import { Ellipsis, FolderInput, Trash2, TriangleAlert } from 'lucide-react'
import type { Photo } from '../../api/types.ts'
import { altText } from '../../lib/format.ts'
import { PhotoImage } from '../photo-image.tsx'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { VisibilityBadge } from '../visibility.tsx'
import { PhotoCaption } from './photo-caption.tsx'

interface PhotoCardProps {
  photo: Photo
  onMove: () => void
  onDelete: () => void
}

/** One photo of the signed-in user: picture, what is known of it, and what can be done with it. */
export function PhotoCard({ photo, onMove, onDelete }: PhotoCardProps) {
  const title = photo.title || 'Untitled'
  return (
    <article aria-label={title} className="group min-w-0">
      <div className="relative">
        <PhotoImage
          src={photo.thumbnailUrl}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
        />
        {photo.status === 'failed' && <FailedPicture />}
        <div className="absolute top-2.5 left-2.5">
          <VisibilityBadge isPublic={photo.isPublic} overlay />
        </div>
        <HoverActions onMove={onMove} onDelete={onDelete} />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="min-w-0 flex-1 text-sm/5 text-muted">
          <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
          <PhotoCaption photo={photo} />
        </div>
        <Menu trigger={<IconButton label={`Actions for ${title}`} icon={<Ellipsis />} className="-mt-1.5 -mr-1.5" />}>
          <MenuItem icon={<FolderInput />} onSelect={onMove}>
            Choose folder
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onSelect={onDelete}>
            Delete
          </MenuItem>
        </Menu>
      </div>
    </article>
  )
}

function FailedPicture() {
  return (
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-2 rounded-lg bg-danger-soft text-sm font-semibold text-danger">
      <TriangleAlert aria-hidden className="size-6" />
      Processing failed
    </div>
  )
}

/** Shortcuts for a mouse. Keyboards, screen readers and touch have the same in the menu beside the title. */
function HoverActions({ onMove, onDelete }: { onMove: () => void; onDelete: () => void }) {
  return (
    <div
      aria-hidden
      className="absolute right-2.5 bottom-2.5 hidden gap-1.5 opacity-0 transition-opacity group-hover:opacity-100 pointer-fine:flex"
    >
      <IconButton label="Choose folder" icon={<FolderInput />} variant="overlay" tabIndex={-1} onClick={onMove} />
      <IconButton label="Delete" icon={<Trash2 />} variant="overlay" tabIndex={-1} onClick={onDelete} />
    </div>
  )
}
