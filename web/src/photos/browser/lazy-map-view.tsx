import { lazyComponent } from '../../components/lazy.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'

/** The map of a list. */
export const MapView = lazyComponent(() => import('./map-view.tsx').then((code) => code.MapView), {
  Loading: () => <Skeleton className="h-[62dvh] rounded-lg" />,
  failure: 'The map could not be loaded',
})
