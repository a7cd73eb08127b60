import L from 'leaflet'
import { LandPlot } from 'lucide-react'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { TrackPoint } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { addCamera, coneOf, latLng } from './camera-layer.tsx'
import { type CameraPhoto, type CameraView, cameraView } from './camera-view.ts'
import type { GroundSource } from './ground/ground-pictures.tsx'
import type { GroundShift } from './ground/ground-shift.tsx'
import { GroundPictures, MapTools, ZoomControls } from './map-controls.tsx'
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
  /** The photos on the ground, which the user may switch on. */
  ground: GroundSource
  /** Absent: the photos cannot be shifted. */
  shift?: GroundShift
  className?: string
}

/** The way of a flight with its photos: where they were taken, where the cameras looked and what they saw. */
export function TrackMap(props: TrackMapProps) {
  const { label, track: flown, cameras, selectedId, onSelect, ground, shift, className } = props
  const [onGround, setOnGround] = useState(false)
  const track = useMemo(() => acrossDateLine(flown), [flown])
  const extent = useMemo(() => {
    const groundOf = (point: TrackPoint) => {
      const { footprint } = viewOf(point, cameras)
      // Ground as far as the horizon would make all else small.
      return footprint && !footprint.isCut ? footprint.outline : []
    }
    return extentOf(track.flatMap((point) => [point, ...groundOf(point)]))
  }, [track, cameras])
  return (
    <MapSurface label={label} area={extent} closest={CLOSEST} className={className}>
      <Track {...{ track, cameras, selectedId, onSelect, onGround }} />
      {onGround && <GroundPictures source={ground} shift={shift} onFailure={() => setOnGround(false)} />}
      <ZoomControls all={extent} closest={CLOSEST} />
      <Button
        size="small"
        aria-pressed={onGround}
        className="absolute top-2 left-1/2 z-10 -translate-x-1/2 shadow-high aria-pressed:bg-accent-soft aria-pressed:text-accent"
        onClick={() => setOnGround(!onGround)}
      >
        <LandPlot aria-hidden /> Photos on the ground
      </Button>
      <MapTools />
    </MapSurface>
  )
}

/** The tracks of some drones are as short as a garden. */
const CLOSEST = 20
const RADIUS = 5
/** Over pictures. */
const SMALL_RADIUS = 3
/** The length of the cones of the photos that are not chosen, in pixels. */
const SMALL_CONE = 26
/** The cones of more photos would cover each other, and each zoom makes them again. */
const MOST_CONES = 500

interface TrackProps extends Pick<TrackMapProps, 'track' | 'cameras' | 'selectedId' | 'onSelect'> {
  /** The pictures themselves are there: nothing covers them. */
  onGround: boolean
}

function Track({ track, cameras, selectedId, onSelect, onGround }: TrackProps) {
  const map = useMap()
  // Thousands of points on one canvas.
  const [renderer] = useState(() => L.canvas({ padding: 0.5, tolerance: 8 }))
  const select = useEffectEvent(onSelect)
  const selected = track.find(({ photoId }) => photoId === selectedId)

  useShapes(
    (shapes, color) => {
      const style = { renderer, color }
      const line = { ...style, interactive: false }
      for (const point of onGround ? [] : track) {
        const outline = viewOf(point, cameras).footprint?.outline.map(latLng)
        if (outline) shapes.addLayer(L.polygon(outline, { ...line, weight: 1, fillOpacity: 0.05 }))
      }
      shapes.addLayer(L.polyline(track.map(latLng), { ...line, weight: onGround ? 1 : 3 }))
      for (const point of track) {
        L.circleMarker(latLng(point), {
          ...style,
          radius: onGround ? SMALL_RADIUS : RADIUS,
          weight: 2,
          fillColor: color,
          fillOpacity: 1,
        })
          .on('click', () => select(point.photoId))
          .addTo(shapes)
      }
    },
    [track, cameras, onGround],
  )
  useShapes(
    (shapes, color) => {
      for (const point of track.length <= MOST_CONES && !onGround ? track : []) {
        const cone = coneOf(map, viewOf(point, cameras), SMALL_CONE)
        const style = { renderer, color, weight: 1, fillOpacity: 0.2, interactive: false }
        if (cone) L.polygon(cone, style).addTo(shapes).bringToBack()
      }
    },
    [track, cameras, onGround],
    { atZoom: true },
  )
  useShapes(
    (shapes, color) => {
      if (!selected) return
      const view = viewOf(selected, cameras)
      const outline = view.footprint?.outline.map(latLng)
      if (!onGround) addCamera(shapes, map, view, color)
      else if (outline) shapes.addLayer(L.polygon(outline, { color, weight: 2, fill: false, interactive: false }))
      shapes.addLayer(L.circleMarker(latLng(selected), { radius: 2 * RADIUS, weight: 3, color, interactive: false }))
    },
    [cameras, selected, onGround],
    { atZoom: true },
  )
  const showSelected = useEffectEvent(() => {
    if (selected && !map.getBounds().contains(latLng(selected))) map.panTo(latLng(selected))
  })
  // Not when its position has changed: the user looks at another place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another photo was chosen
  useEffect(() => showSelected(), [selectedId])
  useEffect(() => () => void renderer.remove(), [renderer])
  return null
}

/** What is known of a photo's camera, at its place on the map; without it the track itself has the heading. */
function viewOf(point: TrackPoint, cameras: TrackMapProps['cameras']): CameraView {
  const camera = cameras?.get(point.photoId)
  if (camera) {
    return cameraView({ ...camera, latitude: String(point.latitude), longitude: String(point.longitude) })
  }
  return { position: point, heading: point.yaw, fieldOfView: null, pose: null, footprint: null, reason: null }
}
