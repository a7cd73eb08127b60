import { type MouseEvent, type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import type { Photo } from '../../api/types.ts'
import type { Position } from '../../lib/geography.ts'
import type { PositionAt } from '../../map/map-overlays.tsx'

/** The pointer moves so many pixels before a press is a drag. */
const MIN_WAY = 6

export interface PhotoDrag {
  /** The photo below the pointer when it was pressed. */
  photo: Photo
  /** Where the pointer was when the drag began. */
  from: { x: number; y: number }
  /** The pointer is above the map. */
  over: boolean
}

/**
 * Drags photos onto the map, by a mouse or a finger. Escape ends a drag. `target` tells where on the map the pointer is.
 */
export function usePhotoDrag(
  target: { current: PositionAt | null },
  onDrop: (photo: Photo, position: Position) => void,
) {
  const [drag, setDrag] = useState<PhotoDrag | null>(null)
  // It follows the pointer without a rendering.
  const ghost = useRef<HTMLDivElement>(null)
  const wasDragged = useRef(false)
  const stop = useRef(() => {})
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => () => stop.current(), [])

  function press({ nativeEvent: pressed }: ReactPointerEvent, photo: Photo): void {
    stop.current()
    wasDragged.current = false
    if (!pressed.isPrimary || pressed.button !== 0) return
    const listeners = new AbortController()
    const positionOf = ({ clientX, clientY }: PointerEvent) => target.current?.(clientX, clientY) ?? null
    stop.current = () => {
      listeners.abort()
      setDrag(null)
    }

    function move(event: PointerEvent): void {
      if (event.pointerId !== pressed.pointerId) return
      const { clientX: x, clientY: y } = event
      if (!wasDragged.current && Math.hypot(x - pressed.clientX, y - pressed.clientY) < MIN_WAY) return
      wasDragged.current = true
      const over = positionOf(event) !== null
      if (ghost.current) ghost.current.style.transform = `translate(${x}px, ${y}px)`
      setDrag((before) => (before && before.over === over ? before : { photo, over, from: before?.from ?? { x, y } }))
    }

    function release(event: PointerEvent): void {
      if (event.pointerId !== pressed.pointerId) return
      const position = wasDragged.current ? positionOf(event) : null
      stop.current()
      if (position) drop.current(photo, position)
    }

    function cancel(event: KeyboardEvent): void {
      if (event.key !== 'Escape' || !wasDragged.current) return
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

  /** Whether a click ends a drag. One without a pointer, like that of a screen reader, never does: its `detail` is 0. */
  const endsDrag = ({ detail }: MouseEvent) => detail > 0 && wasDragged.current

  return { drag, ghost, press, endsDrag }
}
