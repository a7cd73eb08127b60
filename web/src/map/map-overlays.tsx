import L from 'leaflet'
import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
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

const SIZE = 32
/** Pixels that an arrow key moves the pin. */
const STEP = 12
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** A pin that is dragged, or moved by arrow keys, to where photos were taken; `amount` is like '12 photos'. */
export function PlacePin(props: { amount: string; onPlace: (position: Position) => void; onCancel: () => void }) {
  const { amount, onPlace, onCancel } = props
  const map = useMap()
  const pin = useRef<L.Marker>(null)
  const cancel = useEffectEvent(onCancel)

  useEffect(() => {
    const icon = L.divIcon({ className: 'map-pin', iconSize: [SIZE, SIZE], iconAnchor: [SIZE / 2, SIZE] })
    const marker = L.marker(map.getCenter(), { icon, draggable: true, autoPan: true, zIndexOffset: 1000 }).addTo(map)
    const element = marker.getElement()
    element?.setAttribute('aria-label', 'Position of the photos: move it by the arrow keys')
    element?.addEventListener('keydown', (event) => {
      const step = KEYS[event.key]
      if (event.key === 'Escape') cancel()
      else if (step) {
        marker.setLatLng(map.layerPointToLatLng(map.latLngToLayerPoint(marker.getLatLng()).add(step)))
        map.panInside(marker.getLatLng(), { padding: [SIZE, SIZE] })
      } else return
      event.preventDefault()
      event.stopPropagation()
    })
    element?.focus({ preventScroll: true })
    pin.current = marker
    return () => {
      marker.remove()
    }
  }, [map])

  function place(): void {
    const at = pin.current?.getLatLng()
    if (at) onPlace({ latitude: at.lat, longitude: wrap(at.lng) })
  }

  return (
    <section
      aria-label="Set the position"
      className="absolute inset-x-14 top-13 z-20 mx-auto flex w-fit flex-wrap items-center justify-center gap-2 rounded-md bg-surface px-3 py-2 shadow-high ring ring-line"
    >
      <p className="text-sm">
        {`Drag the pin to where ${amount === '1 photo' ? 'the photo was' : `the ${amount} were`} taken`}
      </p>
      <Button size="small" onClick={onCancel}>
        Cancel
      </Button>
      <Button size="small" variant="primary" onClick={place}>
        Set position
      </Button>
    </section>
  )
}
