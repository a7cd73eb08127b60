import { type RefObject, useLayoutEffect, useRef } from 'react'

const DURATION_MS = 220

/** Animates the children of a container that have `data-key` to their new positions whenever `order` changes. */
export function useReorderMotion(
  container: RefObject<HTMLElement | null>,
  order: string,
  durationMs = DURATION_MS,
): void {
  const before = useRef(new Map<string, { left: number; top: number }>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what moves the children
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const now = new Map<string, { left: number; top: number }>()
    for (const child of container.current?.querySelectorAll<HTMLElement>('[data-key]') ?? []) {
      const key = child.dataset.key ?? ''
      const from = before.current.get(key)
      const { offsetLeft: left, offsetTop: top } = child
      now.set(key, { left, top })
      if (still || !from || (from.left === left && from.top === top)) continue
      child.animate([{ transform: `translate(${from.left - left}px, ${from.top - top}px)` }, {}], {
        duration: durationMs,
        easing: 'cubic-bezier(.2, .7, .2, 1)',
      })
    }
    before.current = now
  }, [container, order, durationMs])
}
