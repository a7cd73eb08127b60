import L from 'leaflet'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '../components/ui/button.tsx'
import { type Position, wrap } from './mercator.ts'
import { useMap } from './use-map.ts'

const SIZE = 32
/** Pixels that an arrow key moves the pin. */
const STEP = 12
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

interface PlacePinProps {
  /** '12 photos'. */
  amount: string
  onPlace: (position: Position) => void
  onCancel: () => void
}

/** A pin that is dragged, or moved by arrow keys, to where photos were taken. */
export function PlacePin({ amount, onPlace, onCancel }: PlacePinProps) {
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
        Drag the pin to where {amount === '1 photo' ? 'the photo was' : `the ${amount} were`} taken
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
