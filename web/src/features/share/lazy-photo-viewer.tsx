import { useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import type { PhotoViewerProps } from './photo-viewer.tsx'

// A large part of the code, which a first visit does not need.
const viewer = lazyModule(() => import('./photo-viewer.tsx'))

let dismissFailure = () => {}

/** The photo viewer, loaded on demand. If loading fails, a toast is shown and the page stays. */
export function LazyPhotoViewer(props: PhotoViewerProps) {
  const [arrived, setArrived] = useState(viewer.loaded() !== null)
  const giveUp = useEffectEvent(() => {
    dismissFailure = toast({ title: 'Photo could not be opened', description: UNREACHABLE, tone: 'danger' })
    props.onClose()
  })
  useEffect(() => {
    let left = false
    viewer.load().then(
      () => {
        setArrived(true)
        dismissFailure()
      },
      () => left || giveUp(),
    )
    return () => {
      left = true
    }
  }, [])
  const loaded = arrived && viewer.loaded()
  return loaded && <loaded.PhotoViewer {...props} />
}
