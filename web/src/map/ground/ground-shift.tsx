import L from 'leaflet'
import { Move } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import type { Position } from '../../lib/geography.ts'
import { useMap } from '../map-surface.tsx'
import type { GroundLayer } from './ground-layer.ts'

/** Moves all photos of a flight by the same way. */
export interface GroundShift {
  /** The way in words: '6 m to the northeast'. */
  describe: (by: Position) => string
  /** By so many degrees. `onDone` is called when it is saved. */
  apply: (by: Position, onDone: () => void) => void
  running: boolean
  /** What was done before, in words; null: nothing that can be undone. */
  before: string | null
  undo: () => void
}

interface GroundShiftControlProps {
  shift: GroundShift
  layer: GroundLayer
  /** Other pictures are shown: they are where they belong. */
  photos: unknown
}

/** Lets the user drag the pictures to where they belong, and offers to shift the whole flight by this way. */
export function GroundShiftControl({ shift, layer, photos }: GroundShiftControlProps) {
  const [isOn, setOn] = useState(false)
  const isSaved = useRef(false)
  const button = useRef<HTMLButtonElement>(null)
  const { by, moveTo, onKeyDown } = useShiftDrag(layer, isOn, cancel)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the pictures of the shifted flight have come
  useEffect(() => {
    if (isSaved.current) moveTo(NO_WAY)
    isSaved.current = false
  }, [photos, moveTo])
  useEffect(() => {
    if (!shift.running && !isSaved.current) moveTo(NO_WAY)
  }, [shift.running, moveTo])

  useEffect(() => () => layer.setShift(NO_WAY), [layer])

  function close(): void {
    setOn(false)
    // The button is there again with the next rendering.
    requestAnimationFrame(() => button.current?.focus({ preventScroll: true }))
  }

  function undo(): void {
    shift.undo()
    button.current?.focus({ preventScroll: true })
  }

  function cancel(): void {
    moveTo(NO_WAY)
    close()
  }

  function apply(): void {
    isSaved.current = false
    if (by) {
      shift.apply(by, () => {
        isSaved.current = true
      })
    }
    close()
  }

  if (!isOn) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {shift.before && (
          <>
            <span className="text-muted">{`Shifted ${shift.before}`}</span>
            <Button size="small" variant="quiet" busy={shift.running} onClick={undo}>
              Undo the shift
            </Button>
          </>
        )}
        <Button ref={button} size="small" aria-disabled={shift.running} onClick={() => !shift.running && setOn(true)}>
          <Move aria-hidden /> Shift the flight…
        </Button>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the text and the buttons in it
    <div className="flex w-full flex-wrap items-center gap-2 py-1" onKeyDown={onKeyDown}>
      <p ref={focus} role="status" tabIndex={-1} className="grow rounded-sm bg-sunken px-3 py-1.5">
        {by
          ? `Shift all photos of this flight ${shift.describe(by)}? Their files do not change.`
          : 'Drag the pictures to where they belong, or use the arrow keys.'}
      </p>
      <Button size="small" onClick={cancel}>
        Cancel
      </Button>
      <Button size="small" variant="primary" disabled={!by} onClick={apply}>
        Shift the flight
      </Button>
    </div>
  )
}

function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
}

const NO_WAY = L.point(0, 0)
/** Pixels by an arrow key; with Shift one. */
const STEP = 8
const KEYS: Record<string, L.PointTuple> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Drags all pictures while it is on: the map stays. The way is kept in pixels at zoom 0, so that the map may zoom meanwhile. */
function useShiftDrag(layer: GroundLayer, isOn: boolean, onEscape: () => void) {
  const map = useMap()
  const [way, setWay] = useState(NO_WAY)
  const [moveTo] = useState(() => (next: L.Point) => {
    layer.setShift(next)
    setWay(next)
  })
  function moveBy(pixels: L.Point): void {
    moveTo(way.add(pixels.divideBy(map.getZoomScale(map.getZoom(), 0))))
  }
  function onKeyDown(
    event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey' | 'preventDefault'>,
  ) {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Escape') return onEscape()
    const direction = KEYS[event.key]
    if (!direction) return
    event.preventDefault()
    moveBy(L.point(direction).multiplyBy(event.shiftKey ? 1 : STEP))
  }
  const drag = useEffectEvent(moveBy)
  // After a drag the map has the focus.
  const pressOnMap = useEffectEvent((event: KeyboardEvent) => onKeyDown(event))

  useEffect(() => {
    if (!isOn) return
    const element = map.getContainer()
    let last: L.Point | null = null
    const start = (event: PointerEvent) => {
      last = null
      // Two fingers zoom.
      if (!event.isPrimary || event.button !== 0) return
      last = L.point(event.clientX, event.clientY)
      element.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent) => {
      // The release may have been elsewhere.
      if (event.buttons === 0) last = null
      if (!last || !event.isPrimary) return
      const now = L.point(event.clientX, event.clientY)
      drag(now.subtract(last))
      last = now
    }
    const end = () => {
      last = null
    }
    const listeners = { pointerdown: start, pointermove: move, pointerup: end, pointercancel: end, keydown: pressOnMap }
    map.dragging.disable()
    map.keyboard.disable()
    element.classList.add('shifting')
    for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener as EventListener)
    return () => {
      map.dragging.enable()
      map.keyboard.enable()
      element.classList.remove('shifting')
      for (const [type, listener] of Object.entries(listeners))
        element.removeEventListener(type, listener as EventListener)
    }
  }, [map, isOn])

  return { by: way.equals(NO_WAY) ? null : degreesOf(map, way), moveTo, onKeyDown }
}

function degreesOf(map: L.Map, way: L.Point): Position {
  const center = map.getCenter()
  const moved = map.unproject(map.project(center, 0).add(way), 0)
  return { latitude: moved.lat - center.lat, longitude: moved.lng - center.lng }
}
