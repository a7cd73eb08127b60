import { Check } from 'lucide-react'
import { memo } from 'react'
import type { Photo } from '../../api/types.ts'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'
import { CompactHeader, PhotoCard, type PhotoCardProps } from '../cards/photo-card.tsx'
import type { PhotoView } from './photo-layout.ts'

interface PhotoCellProps extends Omit<PhotoCardProps, 'photo' | 'inTabOrder'> {
  index: number
  column: number
  /** Undefined while its page is loading. */
  photo: Photo | undefined
  /** False for a cell that was just scrolled into view: its card follows. */
  filled: boolean
  /** The one cell in the tab order. */
  active: boolean
  selecting: boolean
  selected: boolean
}

/** One cell of the grid. In select mode the whole cell is one target, and its card's controls are inert. */
export const PhotoCell = memo(function PhotoCell(props: PhotoCellProps) {
  const { index, column, photo, filled, active, selecting, selected, ...card } = props
  const { view } = card
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
          <PhotoCard key={photo.id} {...card} photo={photo} inTabOrder={active} />
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

const MARKS: Record<PhotoView, { area: string; place: string }> = {
  grid: { area: 'aspect-3/2 rounded-lg', place: 'top-2.5 right-2.5' },
  dense: { area: 'aspect-3/2 rounded-sm', place: 'top-1.5 right-1.5' },
  list: { area: 'h-[84px] rounded-md', place: 'top-7 right-3' },
}

function SelectionMark({ selected, view }: { selected: boolean; view: PhotoView }) {
  const { area, place } = MARKS[view]
  return (
    <span
      aria-hidden
      className={cx(
        'pointer-events-none absolute inset-x-0 top-0',
        area,
        selected && 'bg-accent/15 ring-3 ring-accent ring-inset',
      )}
    >
      <span
        className={cx(
          'absolute grid size-7 place-items-center rounded-full ring-2 ring-white',
          place,
          selected ? 'bg-accent text-on-accent' : 'bg-black/40 text-transparent',
        )}
      >
        <Check strokeWidth={3} className="size-4" />
      </span>
    </span>
  )
}

const SKELETONS = 8
const COLUMNS = {
  // As many columns as `columnsOf` returns. In one column four cards are taller than a phone.
  grid: 'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))] max-sm:[&>:nth-child(n+5)]:hidden',
  dense: 'grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-2',
  list: 'grid',
}

export function PhotoGridSkeleton({ view }: { view: PhotoView }) {
  return (
    <div role="status" data-loads>
      <span className="sr-only">Loading photos</span>
      {view === 'list' && <CompactHeader />}
      <div className={`skeletons ${COLUMNS[view]}`}>
        {Array.from({ length: SKELETONS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the shapes have no identity
          <CardSkeleton key={index} view={view} />
        ))}
      </div>
    </div>
  )
}

function CardSkeleton({ view }: { view: PhotoView }) {
  if (view === 'dense') return <Skeleton className="aspect-3/2 rounded-sm" />
  if (view === 'list') {
    return (
      <div className="flex h-[84px] items-center gap-4 py-2">
        <Skeleton className="h-[68px] w-[102px] shrink-0 rounded-md" />
        <div className="flex-1">
          <Skeleton className="h-4 w-2/5 max-w-56" />
          <Skeleton className="mt-2 h-3 w-3/5 max-w-72" />
        </div>
      </div>
    )
  }
  return (
    <div>
      <Skeleton className="aspect-3/2 rounded-lg" />
      <Skeleton className="mt-3 h-4 w-3/5" />
      <Skeleton className="mt-2 h-3 w-2/5" />
      <Skeleton className="mt-2 h-3 w-1/2" />
    </div>
  )
}
