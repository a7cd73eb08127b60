import { type RefObject, useEffect, useRef, useState } from 'react'

/** Shorter scrolls, a finger that trembles say, change nothing. */
const MIN_SCROLL = 8

/**
 * For a sticky bar: true while the user scrolls down the list below it. It is shown again by scrolling up, and at its
 * own place in the page.
 */
export function useFolded<T extends HTMLElement>(): [RefObject<T | null>, boolean] {
  const bar = useRef<T>(null)
  const [folded, setFolded] = useState(false)
  useEffect(() => {
    let last = scrollY
    function follow(): void {
      const moved = scrollY - last
      if (Math.abs(moved) < MIN_SCROLL) return
      last = scrollY
      setFolded(moved > 0 && isStuck(bar.current))
    }
    addEventListener('scroll', follow, { passive: true })
    return () => removeEventListener('scroll', follow)
  }, [])
  return [bar, folded]
}

/** Whether the page has been scrolled past the bar's own place. */
function isStuck(bar: HTMLElement | null): boolean {
  const parent = bar?.parentElement
  return parent ? parent.getBoundingClientRect().top < 0 : false
}
