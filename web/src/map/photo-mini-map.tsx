import L from 'leaflet'
import { LocateFixed } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../components/ui/button.tsx'
import { areaAround, type Position } from '../lib/geography.ts'
import { CameraLayer } from './camera-layer.tsx'
import { type CameraPhoto, cameraView } from './camera-view.ts'
import { MapTools, ZoomControls } from './map-controls.tsx'
import { MapSurface, useShapes } from './map-surface.tsx'
import { extentOf } from './points.ts'

/** What is shown around a photo at first, in metres. */
const AROUND = 150
const DOT = 16

/**
 * Where a photo was taken, where its camera looked and what it saw, on a small map with the same in words. `onNear` shows the photos
 * around, where there is a list of them.
 */
export function PhotoMiniMap(props: { photo: CameraPhoto; onNear?: (position: Position) => void }) {
  const { photo, onNear } = props
  const view = useMemo(() => cameraView(photo), [photo])
  const { position, reason, footprint } = view
  if (!position) return null
  return (
    <section aria-label="Map" className="grid gap-2">
      <MapSurface
        key={`${position.latitude},${position.longitude}`}
        label="Map of where this photo was taken"
        // The ground that the camera saw and the place itself, or the neighbourhood.
        area={footprint ? extentOf([position, ...footprint.outline]) : areaAround({ ...position, metres: AROUND })}
        small
        className="h-52 rounded-md ring ring-line"
      >
        <CameraLayer view={view} />
        <Dot position={position} />
        <ZoomControls />
        <MapTools />
      </MapSurface>
      <p className="text-sm text-muted">
        {reason ??
          `The outline is the ground in the picture, if it is flat${footprint?.isCut ? '; it goes on beyond the broken line' : ''}.`}
      </p>
      {onNear && (
        <Button size="small" className="justify-self-start" onClick={() => onNear(position)}>
          <LocateFixed aria-hidden /> Photos near here
        </Button>
      )}
    </section>
  )
}

function Dot({ position: { latitude, longitude } }: { position: Position }) {
  useShapes(
    (shapes) => {
      const icon = L.divIcon({ className: 'map-place', iconSize: [DOT, DOT] })
      shapes.addLayer(L.marker([latitude, longitude], { icon, interactive: false, keyboard: false }))
    },
    [latitude, longitude],
  )
  return null
}
