import { useEffect } from 'react'
import { later } from '../components/later.tsx'

// Visitors never upload or order and have no settings: the code is loaded for signed-in users.
export const SignedInCenters = later(
  () => import('./signed-in-centers.tsx').then((code) => code.SignedInCenters),
  IgnoreDrops,
)

/** Until the upload is loaded: the browser would replace the page by a dropped photo. */
function IgnoreDrops() {
  useEffect(() => {
    const ignore = (event: DragEvent) => event.preventDefault()
    addEventListener('dragover', ignore)
    addEventListener('drop', ignore)
    return () => {
      removeEventListener('dragover', ignore)
      removeEventListener('drop', ignore)
    }
  }, [])
  return null
}
