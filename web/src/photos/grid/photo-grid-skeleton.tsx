import { CardSkeleton } from '../cards/card-skeleton.tsx'
import { CompactHeader } from '../cards/compact-card.tsx'
import { GRID } from './grid-columns.ts'
import type { PhotoView } from './photo-layout.ts'

const SKELETONS = 8
const COLUMNS = {
  // In one column four are taller than a phone.
  grid: `${GRID} max-sm:[&>:nth-child(n+5)]:hidden`,
  dense: 'grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-2',
  list: 'grid',
}

/** The skeleton of a grid. */
export function PhotoGridSkeleton({ view = 'grid' }: { view?: PhotoView }) {
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
