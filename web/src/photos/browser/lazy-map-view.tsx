import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import { useLazyModule } from '../../lib/use-lazy-module.ts'
import type { MapViewProps } from './map-view.tsx'

const view = lazyModule(() => import('./map-view.tsx'))

/** The map of a list, loaded with the first one. */
export function LazyMapView(props: MapViewProps) {
  const { loaded, failed, retry } = useLazyModule(view)
  if (failed) return <ErrorState title="The map could not be loaded" description={UNREACHABLE} onRetry={retry} />
  return loaded ? <loaded.MapView {...props} /> : <Skeleton className="h-[62dvh] rounded-lg" />
}
