import L from 'leaflet'
import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../components/ui/button.tsx'
import { type Area, areaAround, type Circle, type Position, wrap } from '../lib/geography.ts'
import { bounds, fit, useMap, useShapes } from './map-surface.tsx'
import { areaBetween } from './points.ts'

/** The outline of the area or the circle that the photos are filtered by. */
export function FilterOutline({ area, circle }: { area: Area | null; circle: Circle | null }) {
  const map = useMap()
  useShapes(
    (shapes, color) => {
      const style = { color, weight: 2, fill: false, dashArray: '4 6', interactive: false }
      if (area) shapes.addLayer(L.rectangle(bounds(area), style))
      if (circle) shapes.addLayer(L.circle([circle.latitude, circle.longitude], { ...style, radius: circle.metres }))
    },
    [area, circle],
  )

  // A filter that was chosen elsewhere may be out of the window; at first the map shows it anyway.
  const shown = useRef({ area, circle })
  useEffect(() => {
    if (shown.current.area === area && shown.current.circle === circle) return
    shown.current = { area, circle }
    const wanted = area ?? (circle && areaAround(circle))
    if (wanted && !map.getBounds().contains(bounds(wanted))) fit(map, wanted)
  }, [map, area, circle])
  return null
}

/** The part of the world in the window. */
export function visibleArea(map: L.Map): Area {
  const shown = map.getBounds()
  return areaBetween(shown.getWest(), shown.getSouth(), shown.getEast(), shown.getNorth())
}

/** A smaller box is a click. */
const MIN_SIDE = 8

/** Lies over the map while a box is drawn on it. Escape ends it. */
export function BoxDrawing({ onDone, onCancel }: { onDone: (area: Area) => void; onCancel: () => void }) {
  const map = useMap()
  const [corners, setCorners] = useState<[L.Point, L.Point] | null>(null)
  const box = corners && L.bounds(...corners)
  const leave = useEffectEvent((event: KeyboardEvent) => event.key === 'Escape' && onCancel())

  useEffect(() => {
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [])

  const place = ({ nativeEvent }: PointerEvent) => map.mouseEventToContainerPoint(nativeEvent)

  function start(event: PointerEvent): void {
    event.currentTarget.setPointerCapture(event.pointerId)
    setCorners([place(event), place(event)])
  }

  function end(): void {
    setCorners(null)
    if (!box || box.getSize().x < MIN_SIDE || box.getSize().y < MIN_SIDE) return
    const northWest = map.containerPointToLatLng(box.getTopLeft())
    const southEast = map.containerPointToLatLng(box.getBottomRight())
    onDone(areaBetween(northWest.lng, southEast.lat, southEast.lng, northWest.lat))
  }

  return (
    <div
      className="absolute inset-0 z-10 cursor-crosshair touch-none"
      onPointerDown={start}
      onPointerMove={(event) => corners && setCorners([corners[0], place(event)])}
      onPointerUp={end}
      onPointerCancel={() => setCorners(null)}
    >
      {box && (
        <div
          className="absolute border-2 border-accent bg-accent/15"
          style={{ left: box.min?.x, top: box.min?.y, width: box.getSize().x, height: box.getSize().y }}
        />
      )}
    </div>
  )
}

const PIN: L.PointTuple = [32, 40]
/** Pixels that an arrow key moves the pin. */
const STEP = 12
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

interface PinProps {
  at: Position
  /** For screen readers. */
  label: string
  onMove: (to: Position) => void
  /** Enter on it. */
  onEnter?: () => void
  /** Escape on it. */
  onEscape?: () => void
  /** It gets the focus when it appears. */
  focused?: boolean
}

/** A pin that is dragged, or moved by arrow keys. */
export function Pin({ at, label, onMove, onEnter, onEscape, focused = false }: PinProps) {
  const map = useMap()
  const pin = useRef<L.Marker>(null)
  const first = useRef({ at, focused, label })
  const moved = useEffectEvent(() => {
    const to = pin.current?.getLatLng()
    if (to) onMove({ latitude: to.lat, longitude: wrap(to.lng) })
  })
  const press = useEffectEvent((key: string) => {
    const step = KEYS[key]
    const action = key === 'Enter' ? onEnter : key === 'Escape' ? onEscape : undefined
    action?.()
    if (!step || !pin.current) return action !== undefined
    pin.current.setLatLng(map.unproject(map.project(pin.current.getLatLng()).add(step)))
    map.panInside(pin.current.getLatLng(), { padding: PIN })
    moved()
    return true
  })

  useEffect(() => {
    const { latitude, longitude } = first.current.at
    const icon = L.divIcon({ className: 'map-pin', iconSize: PIN, iconAnchor: [PIN[0] / 2, PIN[1]] })
    const marker = L.marker([latitude, longitude], { icon, draggable: true, autoPan: true, zIndexOffset: 1000 })
    marker.on('dragend', () => moved()).addTo(map)
    pin.current = marker
    const element = marker.getElement()
    element?.setAttribute('aria-label', first.current.label)
    element?.addEventListener('keydown', (event) => {
      if (!press(event.key)) return
      event.preventDefault()
      event.stopPropagation()
    })
    if (first.current.focused) element?.focus({ preventScroll: true })
    return () => {
      marker.remove()
    }
  }, [map])

  useEffect(() => {
    pin.current?.setLatLng([at.latitude, at.longitude])
  }, [at.latitude, at.longitude])
  return null
}

interface PlacePinProps {
  /** Like '12 photos'. */
  amount: string
  /** Where it stands first, and its name; null: in the middle of the window. */
  at: (Position & { name: string }) | null
  /** It gets the focus when it appears. */
  focused?: boolean
  onPlace: (position: Position) => void
  onCancel: () => void
}

/** A pin that is moved to where photos were taken. */
export function PlacePin({ amount, at: first, focused = true, onPlace, onCancel }: PlacePinProps) {
  const map = useMap()
  const [at, setAt] = useState<Position>(() => {
    const { lat, lng } = map.getCenter()
    return first ?? { latitude: lat, longitude: wrap(lng) }
  })
  const bar = useRef<HTMLElement>(null)
  // On a phone the top of the map may be out of the window.
  useEffect(() => {
    bar.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const place = () => onPlace({ latitude: at.latitude, longitude: at.longitude })
  return (
    <>
      <Pin
        at={at}
        label="Position of the photos: move it by the arrow keys"
        onMove={setAt}
        onEnter={place}
        onEscape={onCancel}
        focused={focused}
      />
      <section
        ref={bar}
        aria-label="Set the position"
        className="absolute scroll-mt-36 inset-x-14 top-13 z-20 mx-auto flex w-fit flex-wrap items-center justify-center gap-2 rounded-md bg-surface px-3 py-2 shadow-high ring ring-line"
      >
        <p className="text-sm">
          {first
            ? `Place ${amount} at ${first.name}? The pin can be moved.`
            : `Drag the pin to where ${amount === '1 photo' ? 'the photo was' : `the ${amount} were`} taken`}
        </p>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" variant="primary" onClick={place}>
          Set position
        </Button>
      </section>
    </>
  )
}

/** Shows a position from so near; an equal one that was found again, too. */
export function ShownPosition({ at, zoom }: { at: Position; zoom: number }) {
  const map = useMap()
  useEffect(() => fit(map, areaAround({ ...at, metres: 1 }), zoom), [map, at, zoom])
  return null
}

/** The position at a point of the window; null beside the map. */
export type PositionAt = (clientX: number, clientY: number) => Position | null

/** Takes what is dragged onto the map: `target` gets the function that tells where that is. `over`: it is above the map. */
export function DropTarget({ target, over }: { target: RefObject<PositionAt | null>; over: boolean }) {
  const map = useMap()
  useEffect(() => {
    target.current = (clientX, clientY) => {
      const box = map.getContainer().getBoundingClientRect()
      const isInside = clientX >= box.left && clientX < box.right && clientY >= box.top && clientY < box.bottom
      if (!isInside) return null
      const { lat, lng } = map.containerPointToLatLng([clientX - box.left, clientY - box.top])
      return { latitude: lat, longitude: wrap(lng) }
    }
    return () => {
      target.current = null
    }
  }, [map, target])
  return over && <div className="pointer-events-none absolute inset-0 z-10 rounded-lg inset-ring-3 inset-ring-accent" />
}
