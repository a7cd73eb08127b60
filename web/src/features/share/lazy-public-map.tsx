import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import { useLazyModule } from '../../lib/use-lazy-module.ts'
import type { PublicMapProps } from './public-map.tsx'

const map = lazyModule(() => import('./public-map.tsx'))

/** The map of a public folder, loaded on demand. */
export function LazyPublicMap(props: PublicMapProps) {
  const { loaded, failed, retry } = useLazyModule(map)
  if (failed) return <ErrorState title="The map could not be loaded" description={UNREACHABLE} onRetry={retry} />
  return loaded ? <loaded.PublicMap {...props} /> : <Skeleton className="h-[62dvh] rounded-lg" />
}
