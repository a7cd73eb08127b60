import { LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'

export function RankingsSkeleton() {
  return (
    <LoadingState label="Loading rankings">
      <Skeleton className="h-6 w-80 max-w-full" />
      <div className="mt-4 grid items-end gap-4 md:grid-cols-[1fr_1.18fr_1fr]">
        <Skeleton className="aspect-3/2 rounded-lg" />
        <Skeleton className="aspect-4/3 rounded-lg" />
        <Skeleton className="aspect-3/2 rounded-lg" />
      </div>
      <Skeleton className="mt-16 h-72 rounded-lg" />
    </LoadingState>
  )
}
