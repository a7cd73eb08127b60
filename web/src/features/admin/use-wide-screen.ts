import { useSyncExternalStore } from 'react'

/** From here on the users are a table; below they are cards. */
const wide = matchMedia('(width >= 1024px)')

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

/** True when the window has room for a table. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches)
}
