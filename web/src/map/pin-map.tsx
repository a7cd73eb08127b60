import type L from 'leaflet'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { areaAround, type Position, wrap } from '../lib/geography.ts'
import { ZoomControls } from './map-controls.tsx'
import { Pin } from './map-overlays.tsx'
import { MapSurface, useMap } from './map-surface.tsx'

/** What is shown around the pin at first, in metres. */
const AROUND = 400

interface PinMapProps {
  /** Null: there is no pin yet. */
  at: Position | null
  onMove: (to: Position) => void
}

/** A small map with a pin, which is dragged, moved by arrow keys, or put where the map is clicked. */
export function PinMap({ at, onMove }: PinMapProps) {
  // It is where the map was pointed at: the map stays as it is.
  const isOwn = useRef(false)

  function move(to: Position): void {
    isOwn.current = true
    onMove(to)
  }

  return (
    <div className="grid gap-1.5">
      <MapSurface
        label="Map with the position of the photo"
        area={at && areaAround({ ...at, metres: AROUND })}
        small
        className="h-52 rounded-md ring ring-line"
      >
        {at && <Pin at={at} label="Position of the photo: move it by the arrow keys" onMove={move} />}
        <Clicks onClick={move} />
        <Follow at={at} isOwn={isOwn} />
        <ZoomControls />
      </MapSurface>
      <p className="text-sm text-muted">
        {at ? 'Drag the pin, or click the map.' : 'Click the map to put a pin on it.'}
      </p>
    </div>
  )
}

function Clicks({ onClick }: { onClick: PinMapProps['onMove'] }) {
  const map = useMap()
  const click = useEffectEvent(onClick)
  useEffect(() => {
    const put = ({ latlng }: L.LeafletMouseEvent) => click({ latitude: latlng.lat, longitude: wrap(latlng.lng) })
    map.on('click', put)
    return () => {
      map.off('click', put)
    }
  }, [map])
  return null
}

/** Not further away, a position is shown that came from elsewhere. */
const NEAR_ZOOM = 14

/** Shows the pin where it was put by other means than the map. */
function Follow({ at, isOwn }: { at: Position | null; isOwn: RefObject<boolean> }) {
  const map = useMap()
  const shown = useRef(at)
  useEffect(() => {
    if (at && !isOwn.current && at !== shown.current)
      map.setView([at.latitude, at.longitude], Math.max(map.getZoom(), NEAR_ZOOM))
    shown.current = at
    isOwn.current = false
  }, [map, at, isOwn])
  return null
}
