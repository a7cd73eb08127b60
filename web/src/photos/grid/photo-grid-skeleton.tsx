import { CardSkeleton } from '../cards/card-skeleton.tsx'
import { CompactHeader } from '../cards/compact-card.tsx'
import { GRID } from './grid-columns.ts'

const SKELETONS = 8

/** The skeleton of a grid. */
export function PhotoGridSkeleton({ compact = false }: { compact?: boolean }) {
  return (
    <div role="status" className={compact ? 'grid' : GRID}>
      <span className="sr-only">Loading photos</span>
      {compact && <CompactHeader />}
      {Array.from({ length: SKELETONS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the shapes have no identity
        <CardSkeleton key={index} compact={compact} />
      ))}
    </div>
  )
}
