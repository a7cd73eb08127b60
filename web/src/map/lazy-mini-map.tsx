import { lazyComponent } from '../components/lazy.tsx'
import { Skeleton } from '../components/ui/loading.tsx'

/** The small map of a photo. Without it the photo's facts are enough. */
export const MiniMap = lazyComponent(() => import('./photo-mini-map.tsx').then((code) => code.PhotoMiniMap), {
  Loading: () => <Skeleton className="h-52 rounded-md" />,
  onFailure: () => {},
})
