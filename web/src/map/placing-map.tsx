import L from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import type { Position } from '../lib/geography.ts'
import { latLng } from './camera-layer.tsx'
import { ZoomControls } from './map-controls.tsx'
import { MapSurface, useShapes } from './map-surface.tsx'
import { extentOf } from './points.ts'

interface PlacingMapProps {
  label: string
  /** A track in the order of time. */
  fixes: readonly (Position & { segment: number })[]
  /** Photos on it, and where they are now. */
  placed: readonly { photo: { id: number }; from: Position | null; to: Position }[]
  className?: string
}

/** A track with the photos that it places; a broken line leads from where one is now. */
export function PlacingMap({ label, fixes, placed, className }: PlacingMapProps) {
  const extent = useMemo(() => extentOf(fixes), [fixes])
  return (
    <MapSurface key={JSON.stringify(extent)} label={label} area={extent} closest={CLOSEST} className={className}>
      <Placing fixes={fixes} placed={placed} west={extent && extent.west > extent.east ? extent.west : -180} />
      <ZoomControls all={extent} closest={CLOSEST} />
    </MapSurface>
  )
}

const CLOSEST = 19
const RADIUS = 5

/** `west`: of longitudes, so that a track across the date line is in one piece. */
function Placing({ fixes, placed, west }: Omit<PlacingMapProps, 'label' | 'className'> & { west: number }) {
  // Thousands of points on one canvas.
  const [renderer] = useState(() => L.canvas({ padding: 0.5 }))
  const at = (position: Position) => {
    const place = latLng(position)
    return place.lng < west ? L.latLng(place.lat, place.lng + 360) : place
  }
  const lines = useMemo(() => [...Map.groupBy(fixes, ({ segment }) => segment).values()], [fixes])

  useShapes(
    (shapes, color) => {
      for (const line of lines) L.polyline(line.map(at), { ...quiet(color), weight: 3, opacity: 0.7 }).addTo(shapes)
    },
    [lines],
  )
  useShapes(
    (shapes, color) => {
      for (const { from, to } of placed) {
        if (from) {
          L.polyline([at(from), at(to)], { ...quiet(color), weight: 1, dashArray: '4 4' }).addTo(shapes)
          L.circleMarker(at(from), { ...quiet(color), radius: RADIUS - 2, weight: 1, fillOpacity: 0 }).addTo(shapes)
        }
        L.circleMarker(at(to), { ...quiet(color), radius: RADIUS, weight: 2, fillColor: color, fillOpacity: 1 }).addTo(
          shapes,
        )
      }
    },
    [placed],
  )
  useEffect(() => () => void renderer.remove(), [renderer])
  return null

  function quiet(color: string) {
    return { renderer, color, interactive: false }
  }
}
