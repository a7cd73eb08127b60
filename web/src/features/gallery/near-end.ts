import { type RefObject, useEffect, useRef } from 'react'

/** How far below the viewport the end of a list may lie before more of it is read. */
const MARGIN = '1200px'

/** Calls `onNear` when the element of the answered ref comes near the viewport, while enabled. */
export function useNearEnd(onNear: () => void, enabled: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const latest = useRef(onNear)
  useEffect(() => {
    latest.current = onNear
  })
  useEffect(() => {
    if (!enabled || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current(), {
      rootMargin: MARGIN,
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [enabled])
  return end
}
