import { Skeleton } from '../components/ui/skeleton.tsx'
import { lazyModule } from '../lib/lazy-module.ts'
import { useLazyModule } from '../lib/use-lazy-module.ts'
import type { PhotoMiniMapProps } from './photo-mini-map.tsx'

const miniMap = lazyModule(() => import('./photo-mini-map.tsx'))

/** The small map of a photo, loaded with the first one. Without it the photo's facts are enough. */
export function LazyMiniMap(props: PhotoMiniMapProps) {
  const { loaded, failed } = useLazyModule(miniMap)
  if (failed) return null
  return loaded ? <loaded.PhotoMiniMap {...props} /> : <Skeleton className="h-52 rounded-md" />
}
