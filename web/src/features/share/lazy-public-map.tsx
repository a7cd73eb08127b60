import { lazyComponent } from '../../components/lazy.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'

/** The map of a public folder. */
export const PublicMap = lazyComponent(() => import('./public-map.tsx').then((code) => code.PublicMap), {
  Loading: () => <Skeleton className="h-[62dvh] rounded-lg" />,
  failure: 'The map could not be loaded',
})
