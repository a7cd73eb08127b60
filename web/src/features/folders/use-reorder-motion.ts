import { type RefObject, useLayoutEffect, useRef } from 'react'

const DURATION_MS = 220

/** Animates the rows of a container (children with `data-key`) to their new positions whenever `order` changes. */
export function useReorderMotion(container: RefObject<HTMLElement | null>, order: string): void {
  const before = useRef(new Map<string, number>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what moves the rows
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const now = new Map<string, number>()
    for (const row of container.current?.querySelectorAll<HTMLElement>('[data-key]') ?? []) {
      const key = row.dataset.key ?? ''
      const from = before.current.get(key)
      now.set(key, row.offsetTop)
      if (still || from === undefined || from === row.offsetTop) continue
      row.animate([{ transform: `translateY(${from - row.offsetTop}px)` }, {}], {
        duration: DURATION_MS,
        easing: 'cubic-bezier(.2, .7, .2, 1)',
      })
    }
    before.current = now
  }, [container, order])
}
