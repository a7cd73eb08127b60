import L from 'leaflet'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { coneOf, shapesOf } from './camera-layer.tsx'
import { type CameraPhoto, type CameraView, cameraView } from './camera-view.ts'
import type { Area, Position } from './geography.ts'
import { useChosenExternal, ZoomControls } from './map-controls.tsx'
import { accentColour, fit, MapSurface, useMap, usePageTheme } from './map-surface.tsx'
import { acrossDateLine, extentOf } from './points.ts'

/** A photo of a track; degrees. */
export interface TrackPoint {
  photoId: number
  latitude: number
  longitude: number
  /** Clockwise from north; null when it is not known. */
  yaw: number | null
}

export interface TrackMapProps {
  /** What the map shows, for screen readers. */
  label: string
  /** In the order of the flight. */
  track: readonly TrackPoint[]
  /** What is known of the cameras of these photos, by id: their ground is drawn. */
  cameras?: ReadonlyMap<number, CameraPhoto>
  /** The photo that stands out. */
  selectedId: number | null
  onSelect: (photoId: number) => void
  className?: string
}

/** The way of a flight with its photos: where they were taken, where the cameras looked and what they saw. */
export function TrackMap({ label, track: flown, cameras, selectedId, onSelect, className }: TrackMapProps) {
  const track = useMemo(() => acrossDateLine(flown), [flown])
  const extent = useMemo(() => extentOf(track.flatMap((point) => groundOf(point, cameras))), [track, cameras])
  const external = useChosenExternal()
  return (
    <MapSurface label={label} area={extent} closest={CLOSEST} external={external} className={className}>
      <Track track={track} cameras={cameras} selectedId={selectedId} onSelect={onSelect} />
      <ShowAll extent={extent} />
    </MapSurface>
  )
}

function ShowAll({ extent }: { extent: Area | null }) {
  const map = useMap()
  return <ZoomControls onShowAll={extent ? () => fit(map, extent, CLOSEST) : undefined} />
}

/** The photo and the corners of the ground in it. */
function groundOf(point: TrackPoint, cameras: TrackMapProps['cameras']): Position[] {
  return [point, ...(viewOf(point, cameras).footprint?.outline ?? [])]
}

/** The tracks of some drones are as short as a garden. */
const CLOSEST = 20
const RADIUS = 5
/** The length of the cones of the photos that are not chosen, in pixels. */
const SMALL_CONE = 26
/** The cones of more photos would cover each other, and each zoom makes them again. */
const MOST_CONES = 500

function Track({
  track,
  cameras,
  selectedId,
  onSelect,
}: Pick<TrackMapProps, 'track' | 'cameras' | 'selectedId' | 'onSelect'>) {
  const map = useMap()
  const theme = usePageTheme()
  const select = useEffectEvent(onSelect)

  // Thousands of points on one canvas.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const renderer = L.canvas({ padding: 0.5, tolerance: 8 })
    const color = accentColour()
    const shapes = L.layerGroup().addTo(map)
    const ground = L.layerGroup().addTo(shapes)
    for (const point of track) {
      const outline = viewOf(point, cameras).footprint?.outline.map(latLng)
      if (outline)
        L.polygon(outline, { renderer, color, weight: 1, fillOpacity: 0.05, interactive: false }).addTo(ground)
    }
    L.polyline(track.map(latLng), { renderer, color, weight: 3, interactive: false }).addTo(shapes)
    for (const point of track) {
      L.circleMarker(latLng(point), { renderer, radius: RADIUS, color, weight: 2, fillColor: color, fillOpacity: 1 })
        .on('click', () => select(point.photoId))
        .addTo(shapes)
    }
    const cones = L.layerGroup().addTo(shapes)
    const drawCones = () => {
      cones.clearLayers()
      for (const point of track) {
        const cone = coneOf(map, viewOf(point, cameras), SMALL_CONE)
        if (!cone) continue
        const style = { renderer, color, weight: 1, fillOpacity: 0.2, interactive: false }
        L.polygon(cone, style).addTo(cones).bringToBack()
      }
    }
    if (track.length <= MOST_CONES) {
      drawCones()
      map.on('zoomend', drawCones)
    }
    return () => {
      map.off('zoomend', drawCones)
      shapes.remove()
      renderer.remove()
    }
  }, [map, track, cameras, theme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const point = track.find(({ photoId }) => photoId === selectedId)
    if (!point) return
    const view = viewOf(point, cameras)
    const shapes = L.layerGroup().addTo(map)
    const draw = () => {
      shapes.clearLayers()
      for (const shape of shapesOf(map, view, accentColour())) shapes.addLayer(shape)
      shapes.addLayer(
        L.circleMarker(latLng(point), { radius: 2 * RADIUS, weight: 3, color: accentColour(), interactive: false }),
      )
    }
    draw()
    map.on('zoomend', draw)
    if (!map.getBounds().contains(latLng(point))) map.panTo(latLng(point))
    return () => {
      map.off('zoomend', draw)
      shapes.remove()
    }
  }, [map, track, cameras, selectedId, theme])
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

const latLng = ({ latitude, longitude }: { latitude: number; longitude: number }) => L.latLng(latitude, longitude)
