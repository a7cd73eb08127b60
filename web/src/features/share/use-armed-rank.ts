import { useEffect, useState } from 'react'
import type { PhotosByRank, Rank } from '../../api/types.ts'

/**
 * The empty rank that the next chosen photo gets, and a function that sets it. Escape ends it, and so does a photo that
 * gets the rank in another way.
 */
export function useArmedRank(ranks: PhotosByRank, closed: boolean) {
  const [armed, setArmed] = useState<Rank | null>(null)
  if (armed && (closed || ranks[armed] !== 0)) setArmed(null)

  useEffect(() => {
    if (!armed) return
    // An open menu takes Escape for itself.
    const end = (event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && setArmed(null)
    addEventListener('keydown', end)
    return () => removeEventListener('keydown', end)
  }, [armed])

  return [armed, setArmed] as const
}
