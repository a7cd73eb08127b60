import { Skeleton } from '../../components/ui/loading.tsx'

/** The skeleton of one card, or of one row of the list. */
export function CardSkeleton({ view }: { view: 'grid' | 'dense' | 'list' }) {
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
