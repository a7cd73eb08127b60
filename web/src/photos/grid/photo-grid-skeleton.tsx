import { Skeleton } from '../../components/ui/loading.tsx'
import { CompactHeader } from '../cards/photo-card.tsx'
import type { PhotoView } from './photo-layout.ts'

const SKELETONS = 8
const COLUMNS = {
  // As many columns as `columnsOf` returns. In one column four cards are taller than a phone.
  grid: 'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))] max-sm:[&>:nth-child(n+5)]:hidden',
  dense: 'grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-2',
  list: 'grid',
}

/** The skeleton of a grid. */
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

/** The skeleton of one card, or of one row of the list. */
export function CardSkeleton({ view }: { view: PhotoView }) {
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
