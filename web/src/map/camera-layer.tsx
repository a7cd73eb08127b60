import L from 'leaflet'
import type { Position } from '../lib/geography.ts'
import type { CameraView } from './camera-view.ts'
import { useMap, useShapes } from './map-surface.tsx'

/** The length of a cone in pixels, at any zoom. */
const CONE = 56
/** The points of a cone's arc, less one. */
const ARC_STEPS = 12

/** A camera on the map: its heading as a cone with the field of view, a line where that is not known, and the ground that it saw. */
export function CameraLayer({ view }: { view: CameraView }) {
  const map = useMap()
  useShapes((shapes, color) => addCamera(shapes, map, view, color), [view], { atZoom: true })
  return null
}

export function addCamera(shapes: L.LayerGroup, map: L.Map, view: CameraView, color: string): void {
  const { footprint, fieldOfView } = view
  const style = { color, interactive: false }
  if (footprint && view.position) {
    const dashArray = footprint.isCut ? '6 6' : undefined
    shapes.addLayer(L.polygon(footprint.outline.map(latLng), { ...style, weight: 2, fillOpacity: 0.12, dashArray }))
  }
  const cone = coneOf(map, view, CONE)
  // Without a field of view it is a line.
  if (cone) shapes.addLayer(L.polygon(cone, { ...style, weight: fieldOfView ? 1 : 3, fillOpacity: 0.35 }))
}

/** The corners of a camera's cone at the map's zoom, `length` pixels long; null without a heading. Without a field of view it is a line. */
export function coneOf(map: L.Map, { position, heading, fieldOfView }: CameraView, length: number): L.LatLng[] | null {
  if (!position || heading === null) return null
  const half = (fieldOfView?.horizontal ?? 0) / 2
  const start = map.project(latLng(position))
  const steps = half === 0 ? [0] : Array.from({ length: ARC_STEPS + 1 }, (_, step) => (step / ARC_STEPS) * 2 - 1)
  const arc = steps.map((step) => {
    const angle = ((heading + step * half) * Math.PI) / 180
    return map.unproject(start.add([length * Math.sin(angle), -length * Math.cos(angle)]))
  })
  return [latLng(position), ...arc]
}

export const latLng = ({ latitude, longitude }: Position): L.LatLng => L.latLng(latitude, longitude)
