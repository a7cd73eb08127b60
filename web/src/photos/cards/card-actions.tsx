import { BookmarkCheck, BookmarkPlus, Download, Ellipsis, Eye, FolderInput, Image, Printer, Trash2 } from 'lucide-react'
import { PRINTED } from '../../api/photo-changes.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { VisibilityMenuSwitch } from '../../components/visibility.tsx'
import { cx } from '../../lib/cx.ts'
import type { CoverChange } from '../folder-changes.ts'
import { printPhoto } from '../printing.ts'
import type { usePhotoVisibility } from '../use-photo-changes.ts'

/** What the screen does for a card's buttons and menu; the same object while the grid is mounted. */
export interface CardHandlers {
  onOpen: (photo: Photo) => void
  onMark: (photo: Photo) => void
  onMove: (photo: Photo) => void
  /** In a folder: chooses its cover, or none. */
  onCover?: (change: CoverChange) => void
  onDelete: (photo: Photo) => void
}

export interface CardActionsProps {
  photo: Photo
  folder: Folder | null
  /** The photo is the user's own: an administrator also sees others'. */
  own: boolean
  /** The user may delete it: it is the user's own, or the user is an administrator. */
  deletable: boolean
  /** Why prints cannot be ordered; null if they can. */
  printingReason: string | null
  /** The Tab key reaches its controls. */
  inTabOrder: boolean
  handlers: CardHandlers
}

/**
 * The actions on a card for mouse users, and for the keyboard on the active card. Touch users find them in the card's
 * menu. `className` also controls whether they are displayed at all.
 */
export function CardActions(props: CardActionsProps & { className: string }) {
  const { photo, folder, own, deletable, printingReason, inTabOrder, handlers, className } = props
  const marked = folder?.name === PRINTED
  const tabIndex = inTabOrder ? undefined : -1
  const button = { variant: 'overlay', tabIndex } as const
  return (
    <div
      className={cx(
        'hidden gap-1.5 opacity-0 transition-opacity group-hover:opacity-100 focus-within:opacity-100',
        className,
      )}
    >
      <IconButton {...button} label="View details" icon={<Eye />} onClick={() => handlers.onOpen(photo)} />
      <a
        href={photo.url}
        download={photo.originalName}
        aria-label="Download"
        title="Download"
        tabIndex={tabIndex}
        className="inline-grid size-9 place-items-center rounded-md bg-surface/90 text-text transition hover:bg-surface [&>svg]:size-[18px]"
      >
        <Download />
      </a>
      {own && (
        <IconButton
          {...button}
          label={marked ? 'Marked for printing' : 'Mark for printing'}
          icon={marked ? <BookmarkCheck /> : <BookmarkPlus />}
          aria-pressed={marked}
          onClick={() => !marked && handlers.onMark(photo)}
          className="aria-pressed:text-accent"
        />
      )}
      {photo.status === 'ready' && (
        <IconButton
          {...button}
          label="Print"
          icon={<Printer />}
          disabled={printingReason !== null}
          title={printingReason ?? 'Order prints'}
          onClick={() => printPhoto(photo)}
        />
      )}
      {deletable && (
        <IconButton {...button} label="Delete" icon={<Trash2 />} onClick={() => handlers.onDelete(photo)} />
      )}
    </div>
  )
}

export function CardMenu(props: CardActionsProps & { visibility: ReturnType<typeof usePhotoVisibility> }) {
  const { photo, folder, own, deletable, printingReason, inTabOrder, handlers, visibility } = props
  const { isPublic, explanation, setPublic } = visibility
  const marked = folder?.name === PRINTED
  const isCover = folder?.coverPhotoId === photo.id
  const { onCover } = handlers
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${photo.title || 'Untitled'}`}
          icon={<Ellipsis />}
          tabIndex={inTabOrder ? undefined : -1}
          className="-mt-1.5 -mr-1.5"
        />
      }
    >
      <MenuItem icon={<Eye />} onSelect={() => handlers.onOpen(photo)}>
        View Details
      </MenuItem>
      {own && (
        <>
          <VisibilityMenuSwitch isPublic={isPublic} explanation={explanation} onChange={setPublic} />
          <MenuItem icon={<FolderInput />} onSelect={() => handlers.onMove(photo)}>
            Choose folder
          </MenuItem>
          {folder && onCover && photo.thumbnailUrl !== null && (
            <MenuItem
              icon={<Image />}
              checked={isCover}
              hint={isCover ? 'Choose again to show the newest photos.' : undefined}
              onSelect={() => onCover({ folder, photoId: isCover ? null : photo.id })}
            >
              {isCover ? 'Folder cover' : 'Use as cover'}
            </MenuItem>
          )}
          <MenuItem icon={<BookmarkPlus />} checked={marked} onSelect={() => !marked && handlers.onMark(photo)}>
            {marked ? 'Marked for printing' : 'Mark for printing'}
          </MenuItem>
        </>
      )}
      {photo.status === 'ready' && (
        <MenuItem
          icon={<Printer />}
          hint={printingReason}
          disabled={printingReason !== null}
          onSelect={() => printPhoto(photo)}
        >
          Order prints
        </MenuItem>
      )}
      <MenuItem icon={<Download />} download={{ href: photo.url, name: photo.originalName }}>
        Download
      </MenuItem>
      {deletable && (
        <MenuItem icon={<Trash2 />} danger onSelect={() => handlers.onDelete(photo)}>
          Delete
        </MenuItem>
      )}
    </Menu>
  )
}
