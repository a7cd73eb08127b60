import { type ElementType, type ReactNode, useEffect } from 'react'

let locks = 0

/**
 * Replaces the package of this name, which Radix renders with each modal dialog (see vite.config.ts): it writes <style> elements, which our
 * Content-Security-Policy forbids, and is a part of every screen. The style sheet keeps a page with `data-locked` from scrolling.
 */
export function RemoveScroll({ as: As, children }: { as: ElementType; children: ReactNode }) {
  useEffect(() => {
    const page = document.documentElement
    // The place of a scroll bar stays, so that nothing moves.
    if (locks === 0) page.dataset.locked = innerWidth > page.clientWidth ? 'scrollbar' : ''
    locks += 1
    return () => {
      locks -= 1
      if (locks === 0) delete page.dataset.locked
    }
  }, [])
  return <As>{children}</As>
}
