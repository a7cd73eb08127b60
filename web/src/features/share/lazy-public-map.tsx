import { useEffect, useEffectEvent, useState } from 'react'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import type { PublicMapProps } from './public-map.tsx'

const map = lazyModule(() => import('./public-map.tsx'))

interface LazyPublicMapProps extends PublicMapProps {
  /** The map could not be loaded. */
  onFailed: () => void
}

/** The map of a public folder, loaded on demand. If loading fails, a toast is shown and the page stays. */
export function LazyPublicMap({ onFailed, ...props }: LazyPublicMapProps) {
  const [arrived, setArrived] = useState(map.loaded() !== null)
  const giveUp = useEffectEvent(() => {
    toast({ title: 'The map could not be loaded', description: UNREACHABLE, tone: 'danger' })
    onFailed()
  })
  useEffect(() => {
    let left = false
    map.load().then(
      () => setArrived(true),
      () => left || giveUp(),
    )
    return () => {
      left = true
    }
  }, [])
  const loaded = arrived && map.loaded()
  if (!loaded) return <Skeleton className="h-[62dvh] rounded-lg" />
  return <loaded.PublicMap {...props} />
}
