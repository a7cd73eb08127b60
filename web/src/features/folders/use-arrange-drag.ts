import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { indexOfItem } from '../../photos/grid/use-visible-rows.ts'
import { type ArrangeLayout, edgeScroll, type Gap, gapAt } from './arranging.ts'

/** A mouse moves so many pixels before a press is a drag; a finger that moves further before it has rested scrolls. */
const MIN_WAY = 6
/** A finger rests so long before it drags. */
const LONG_PRESS_MS = 350

interface Dragged {
  from: number
  gap: Gap
}

interface ArrangeDrag {
  grid: RefObject<HTMLElement | null>
  /** The scrolled part that the grid is in. */
  scroller: () => HTMLElement | null
  layout: ArrangeLayout
  total: number
  onDrop: (from: number, gap: number) => void
}

/** Drags items of a grid into its gaps, by a mouse, or by a finger that has rested on one. Escape ends a drag. */
export function useArrangeDrag(options: ArrangeDrag) {
  const [drag, setDrag] = useState<Dragged | null>(null)
  const current = useRef(options)
  current.current = options
  // It follows the pointer without a rendering.
  const ghost = useRef<HTMLDivElement>(null)
  const isDragging = useRef(false)
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])

  // Set before a finger is down: a browser does not ask listeners that come later whether it may scroll.
  useEffect(() => {
    const element = current.current.grid.current
    const hold = (event: TouchEvent) => isDragging.current && event.cancelable && event.preventDefault()
    element?.addEventListener('touchmove', hold, { passive: false })
    return () => element?.removeEventListener('touchmove', hold)
  }, [])

  function press({ nativeEvent: pressed }: ReactPointerEvent): void {
    stop.current()
    const from = indexOfItem(pressed.target as Element)
    if (from === null || !pressed.isPrimary || pressed.button !== 0) return
    const listeners = new AbortController()
    const isTouch = pressed.pointerType === 'touch'
    let at = { x: pressed.clientX, y: pressed.clientY }
    let frame = 0
    const timer = isTouch ? setTimeout(() => start(), LONG_PRESS_MS) : undefined

    stop.current = () => {
      listeners.abort()
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      isDragging.current = false
      setDrag(null)
    }

    function gapNow(): Gap | null {
      const { grid, layout, total } = current.current
      const box = grid.current?.getBoundingClientRect()
      return box ? gapAt(layout, total, at.x - box.left, at.y - box.top) : null
    }

    function show(): void {
      if (ghost.current) ghost.current.style.transform = `translate(${at.x}px, ${at.y}px)`
      const gap = gapNow()
      if (gap)
        setDrag((before) =>
          before && JSON.stringify(before.gap) === JSON.stringify(gap) ? before : { from: from as number, gap },
        )
    }

    function start(): void {
      isDragging.current = true
      show()
      frame = requestAnimationFrame(scrollAtEdge)
    }

    function scrollAtEdge(): void {
      const scroller = current.current.scroller()
      const step = scroller ? edgeScroll(at.y, scroller.getBoundingClientRect()) : 0
      if (step !== 0) scroller?.scrollBy({ top: step, behavior: 'instant' })
      show()
      frame = requestAnimationFrame(scrollAtEdge)
    }

    function move(event: PointerEvent): void {
      if (event.pointerId !== pressed.pointerId) return
      at = { x: event.clientX, y: event.clientY }
      const isPress = Math.hypot(at.x - pressed.clientX, at.y - pressed.clientY) < MIN_WAY
      if (isDragging.current) show()
      else if (isTouch && !isPress) stop.current()
      else if (!isPress) start()
    }

    function release(event: PointerEvent): void {
      if (event.pointerId !== pressed.pointerId) return
      const gap = isDragging.current ? gapNow() : null
      stop.current()
      if (gap) current.current.onDrop(from as number, gap.index)
    }

    function cancel(event: KeyboardEvent): void {
      if (event.key !== 'Escape' || !isDragging.current) return
      event.preventDefault()
      event.stopPropagation()
      stop.current()
    }

    const { signal } = listeners
    addEventListener('pointermove', move, { signal })
    addEventListener('pointerup', release, { signal })
    // The browser scrolls instead.
    addEventListener('pointercancel', stop.current, { signal })
    addEventListener('keydown', cancel, { signal, capture: true })
  }

  return { drag, ghost, press }
}
