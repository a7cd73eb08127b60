import { Download, Ellipsis, FolderInput, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { usePrivacy } from '../../api/photo-changes.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { altText } from '../../lib/format.ts'
import { type Box, isDng, pictureIn } from '../../lib/picture.ts'
import { PhotoImage } from '../photo-image.tsx'
import { Badge } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { meaningOf, VisibilityBadge, VisibilityIcon, VisibilityToggle } from '../visibility.tsx'
import { FailedPicture, RawPicture } from './no-picture.tsx'
import { PhotoCaption } from './photo-caption.tsx'

interface PhotoCardProps {
  photo: Photo
  /** The one that it lies in, where it is known. */
  folder: Folder | null
  /** The photo is the user's own: an administrator sees others' too. */
  own: boolean
  /** Where its picture stands. */
  box: Box
  onMove: (photo: Photo) => void
  onDelete: (photo: Photo) => void
}

/** One photo of the signed-in user: picture, what is known of it, and what can be done with it. */
export const PhotoCard = memo(function PhotoCard({ photo, folder, own, box, onMove, onDelete }: PhotoCardProps) {
  const title = photo.title || 'Untitled'
  const { isPublic, setPublic } = usePrivacy(photo, (flag) => meaningOf(flag, folder))
  const meaning = meaningOf(isPublic, folder)
  return (
    <article aria-label={title} tabIndex={-1} className="group min-w-0 outline-none">
      <div className="relative">
        <PhotoImage
          {...pictureIn(box, photo)}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={isDng(photo) ? <RawPicture photo={photo} /> : undefined}
        />
        {photo.status === 'failed' && <FailedPicture photo={photo} />}
        <div className="absolute top-2.5 left-2.5 flex gap-1.5">
          {own ? (
            <VisibilityToggle title={title} isPublic={isPublic} meaning={meaning} onChange={setPublic} />
          ) : (
            <VisibilityBadge isPublic={isPublic} overlay />
          )}
          {isDng(photo) && <Badge tone="overlay">DNG</Badge>}
        </div>
        <HoverActions photo={photo} onMove={onMove} onDelete={onDelete} />
      </div>
      <div className="flex items-start gap-1 pt-2 pl-0.5">
        <div className="min-w-0 flex-1 text-sm/5 text-muted">
          <h3 className="truncate text-base font-semibold tracking-normal text-text">{title}</h3>
          <PhotoCaption photo={photo} />
        </div>
        <Menu trigger={<IconButton label={`Actions for ${title}`} icon={<Ellipsis />} className="-mt-1.5 -mr-1.5" />}>
          {own && (
            <MenuItem
              icon={<VisibilityIcon isPublic={!isPublic} />}
              hint={meaning}
              onSelect={() => setPublic(!isPublic)}
            >
              {isPublic ? 'Make private' : 'Make public'}
            </MenuItem>
          )}
          <MenuItem icon={<FolderInput />} onSelect={() => onMove(photo)}>
            Choose folder
          </MenuItem>
          <MenuItem icon={<Download />} download={{ href: photo.url, name: photo.originalName }}>
            Download
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onSelect={() => onDelete(photo)}>
            Delete
          </MenuItem>
        </Menu>
      </div>
    </article>
  )
})

/** Shortcuts for a mouse. Keyboards, screen readers and touch have the same in the menu beside the title. */
function HoverActions({ photo, onMove, onDelete }: Pick<PhotoCardProps, 'photo' | 'onMove' | 'onDelete'>) {
  return (
    <div
      aria-hidden
      className="absolute right-2.5 bottom-2.5 hidden gap-1.5 opacity-0 transition-opacity group-hover:opacity-100 pointer-fine:flex"
    >
      <IconButton
        label="Choose folder"
        icon={<FolderInput />}
        variant="overlay"
        tabIndex={-1}
        onClick={() => onMove(photo)}
      />
      <IconButton label="Delete" icon={<Trash2 />} variant="overlay" tabIndex={-1} onClick={() => onDelete(photo)} />
    </div>
  )
}
