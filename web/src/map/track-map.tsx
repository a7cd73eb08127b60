import L from 'leaflet'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { TrackPoint } from '../api/types.ts'
import { addCamera, coneOf, latLng } from './camera-layer.tsx'
import { type CameraPhoto, type CameraView, cameraView } from './camera-view.ts'
import { MapTools, ZoomControls } from './map-controls.tsx'
import { MapSurface, useMap, useShapes } from './map-surface.tsx'
import { acrossDateLine, extentOf } from './points.ts'

interface TrackMapProps {
  label: string
  /** In the order of the flight. */
  track: readonly TrackPoint[]
  /** What is known of the cameras of these photos, by id: their ground is drawn. */
  cameras?: ReadonlyMap<number, CameraPhoto>
  selectedId: number | null
  onSelect: (photoId: number) => void
  className?: string
}

/** The way of a flight with its photos: where they were taken, where the cameras looked and what they saw. */
export function TrackMap({ label, track: flown, cameras, selectedId, onSelect, className }: TrackMapProps) {
  const track = useMemo(() => acrossDateLine(flown), [flown])
  const extent = useMemo(() => {
    const groundOf = (point: TrackPoint) => viewOf(point, cameras).footprint?.outline ?? []
    return extentOf(track.flatMap((point) => [point, ...groundOf(point)]))
  }, [track, cameras])
  return (
    <MapSurface label={label} area={extent} closest={CLOSEST} className={className}>
      <Track track={track} cameras={cameras} selectedId={selectedId} onSelect={onSelect} />
      <ZoomControls all={extent} closest={CLOSEST} />
      <MapTools />
    </MapSurface>
  )
}

/** The tracks of some drones are as short as a garden. */
const CLOSEST = 20
const RADIUS = 5
/** The length of the cones of the photos that are not chosen, in pixels. */
const SMALL_CONE = 26
/** The cones of more photos would cover each other, and each zoom makes them again. */
const MOST_CONES = 500

function Track({ track, cameras, selectedId, onSelect }: Omit<TrackMapProps, 'label' | 'className'>) {
  const map = useMap()
  // Thousands of points on one canvas.
  const [renderer] = useState(() => L.canvas({ padding: 0.5, tolerance: 8 }))
  const select = useEffectEvent(onSelect)
  const selected = track.find(({ photoId }) => photoId === selectedId)

  useShapes(
    (shapes, color) => {
      const style = { renderer, color }
      const line = { ...style, interactive: false }
      for (const point of track) {
        const outline = viewOf(point, cameras).footprint?.outline.map(latLng)
        if (outline) shapes.addLayer(L.polygon(outline, { ...line, weight: 1, fillOpacity: 0.05 }))
      }
      shapes.addLayer(L.polyline(track.map(latLng), { ...line, weight: 3 }))
      for (const point of track) {
        L.circleMarker(latLng(point), { ...style, radius: RADIUS, weight: 2, fillColor: color, fillOpacity: 1 })
          .on('click', () => select(point.photoId))
          .addTo(shapes)
      }
    },
    [track, cameras],
  )
  useShapes(
    (shapes, color) => {
      for (const point of track.length <= MOST_CONES ? track : []) {
        const cone = coneOf(map, viewOf(point, cameras), SMALL_CONE)
        const style = { renderer, color, weight: 1, fillOpacity: 0.2, interactive: false }
        if (cone) L.polygon(cone, style).addTo(shapes).bringToBack()
      }
    },
    [track, cameras],
    { atZoom: true },
  )
  useShapes(
    (shapes, color) => {
      if (!selected) return
      addCamera(shapes, map, viewOf(selected, cameras), color)
      shapes.addLayer(L.circleMarker(latLng(selected), { radius: 2 * RADIUS, weight: 3, color, interactive: false }))
    },
    [cameras, selected],
    { atZoom: true },
  )
  useEffect(() => {
    if (selected && !map.getBounds().contains(latLng(selected))) map.panTo(latLng(selected))
  }, [map, selected])
  useEffect(() => () => void renderer.remove(), [renderer])
  return null
}

/** What is known of a photo's camera, at its place on the map; without it the track itself has the heading. */
function viewOf(point: TrackPoint, cameras: TrackMapProps['cameras']): CameraView {
  const camera = cameras?.get(point.photoId)
  if (camera) {
    return cameraView({ ...camera, latitude: String(point.latitude), longitude: String(point.longitude) })
  }
  return { position: point, heading: point.yaw, fieldOfView: null, footprint: null, reason: null }
}
