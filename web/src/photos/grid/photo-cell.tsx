import { Check } from 'lucide-react'
import { memo } from 'react'
import type { Folder, Photo } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'
import { CardSkeleton } from '../cards/card-skeleton.tsx'
import { PhotoCard } from '../cards/photo-card.tsx'
import type { CoverChange } from '../folder-changes.ts'
import type { Box } from '../renditions.ts'
import type { PhotoView } from './photo-layout.ts'

/** The actions of a card's buttons and menu; the same object while the grid is mounted. */
export interface CellActions {
  onOpen: (photo: Photo) => void
  onMark: (photo: Photo) => void
  onPrint: (photo: Photo) => void
  onMove: (photo: Photo) => void
  /** In a folder: chooses its cover, or none. */
  onCover?: (change: CoverChange) => void
  onDelete: (photo: Photo) => void
}

interface PhotoCellProps {
  index: number
  column: number
  inFirstRow: boolean
  /** Undefined while its page is loading. */
  photo: Photo | undefined
  /** False for a cell that was just scrolled into view: its card follows. */
  filled: boolean
  folder: Folder | null
  /** The card names its folder. */
  showFolder: boolean
  own: boolean
  deletable: boolean
  box: Box
  view: PhotoView
  /** The one cell in the tab order. */
  active: boolean
  selecting: boolean
  selected: boolean
  printingReason: string | null
  actions: CellActions
}

/** One cell of the grid. In select mode the whole cell is one target, and its card's controls are inert. */
export const PhotoCell = memo(function PhotoCell(props: PhotoCellProps) {
  const { index, column, photo, filled, view, active, selecting, selected } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-label={photo ? undefined : 'Loading'}
      aria-selected={selecting ? selected : undefined}
      aria-busy={photo === undefined || undefined}
      tabIndex={active ? 0 : -1}
      data-index={index}
      className={cx(
        'relative min-w-0 outline-none',
        // The ring is around the picture; a compact row has it itself.
        'focus-visible:[&_[data-ring]]:outline-2 focus-visible:[&_[data-ring]]:outline-offset-2 focus-visible:[&_[data-ring]]:outline-accent',
        selecting ? 'cursor-pointer select-none' : 'cursor-default',
      )}
    >
      {photo && filled ? (
        <div inert={selecting}>
          <PhotoCard
            key={photo.id}
            photo={photo}
            folder={props.folder}
            showFolder={props.showFolder}
            own={props.own}
            deletable={props.deletable}
            box={props.box}
            view={view}
            inFirstRow={props.inFirstRow}
            inTabOrder={active}
            printingReason={props.printingReason}
            {...props.actions}
          />
        </div>
      ) : (
        <CardSkeleton view={view} />
      )}
      {/* The name comes from the card, if it is rendered and not inert. */}
      {photo && (selecting || !filled) && <span className="sr-only">{altText(photo)}</span>}
      {selecting && photo && <SelectionMark selected={selected} view={view} />}
    </div>
  )
})

function SelectionMark({ selected, view }: { selected: boolean; view: PhotoView }) {
  return (
    <span
      aria-hidden
      className={cx(
        'pointer-events-none absolute inset-x-0 top-0',
        view === 'list' ? 'h-[84px] rounded-md' : 'aspect-3/2',
        view === 'grid' && 'rounded-lg',
        view === 'dense' && 'rounded-sm',
        selected && 'bg-accent/15 ring-3 ring-accent ring-inset',
      )}
    >
      <span
        className={cx(
          'absolute grid size-7 place-items-center rounded-full ring-2 ring-white',
          view === 'list' && 'top-7 right-3',
          view === 'grid' && 'top-2.5 right-2.5',
          view === 'dense' && 'top-1.5 right-1.5',
          selected ? 'bg-accent text-on-accent' : 'bg-black/40 text-transparent',
        )}
      >
        <Check strokeWidth={3} className="size-4" />
      </span>
    </span>
  )
}
