import { BookmarkCheck, BookmarkPlus, Download, Eye, Printer, Trash2 } from 'lucide-react'
import { PRINTED } from '../../api/photo-changes.ts'
import type { Folder, Photo } from '../../api/types.ts'
import { IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'

const LINK =
  'inline-grid size-9 place-items-center rounded-md bg-surface/90 text-text transition hover:bg-surface [&>svg]:size-[18px]'

interface CardActionsProps {
  photo: Photo
  folder: Folder | null
  own: boolean
  deletable: boolean
  inTabOrder: boolean
  onOpen: (photo: Photo) => void
  onMark: (photo: Photo) => void
  onPrint: (photo: Photo) => void
  /** Why prints cannot be ordered; null if they can. */
  printingReason: string | null
  onDelete: (photo: Photo) => void
  /** Also controls whether they are displayed at all. */
  className: string
}

/**
 * The actions on a card for mouse users, and for the keyboard on the active card. Touch users find them in the card's
 * menu.
 */
export function CardActions(props: CardActionsProps) {
  const { photo, folder, own, deletable, onOpen, onMark, onPrint, printingReason, onDelete, className } = props
  const tabIndex = props.inTabOrder ? undefined : -1
  const marked = folder?.name === PRINTED
  return (
    <div
      className={cx(
        'hidden gap-1.5 opacity-0 transition-opacity group-hover:opacity-100 focus-within:opacity-100',
        className,
      )}
    >
      <IconButton
        label="View details"
        icon={<Eye />}
        variant="overlay"
        tabIndex={tabIndex}
        onClick={() => onOpen(photo)}
      />
      <a
        href={photo.url}
        download={photo.originalName}
        aria-label="Download"
        title="Download"
        tabIndex={tabIndex}
        className={LINK}
      >
        <Download />
      </a>
      {own && (
        <IconButton
          label={marked ? 'Marked for printing' : 'Mark for printing'}
          icon={marked ? <BookmarkCheck /> : <BookmarkPlus />}
          variant="overlay"
          aria-pressed={marked}
          tabIndex={tabIndex}
          onClick={() => !marked && onMark(photo)}
          className="aria-pressed:text-accent"
        />
      )}
      {photo.status === 'ready' && (
        <IconButton
          label="Print"
          icon={<Printer />}
          variant="overlay"
          tabIndex={tabIndex}
          disabled={printingReason !== null}
          title={printingReason ?? 'Order prints'}
          onClick={() => onPrint(photo)}
        />
      )}
      {deletable && (
        <IconButton
          label="Delete"
          icon={<Trash2 />}
          variant="overlay"
          tabIndex={tabIndex}
          onClick={() => onDelete(photo)}
        />
      )}
    </div>
  )
}
