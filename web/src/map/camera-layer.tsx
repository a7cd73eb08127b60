import L from 'leaflet'
import { useEffect } from 'react'
import type { CameraView } from './camera-view.ts'
import type { Position } from './geography.ts'
import { accentColour, useMap, usePageTheme } from './map-surface.tsx'

/** The length of a cone in pixels, at any zoom. */
const CONE = 56
/** The points of a cone's arc, less one. */
const ARC_STEPS = 12

/** A camera on the map: its heading as a cone with the field of view, a line where that is not known, and the ground that it saw. */
export function CameraLayer({ view }: { view: CameraView }) {
  const map = useMap()
  const theme = usePageTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has another colour
  useEffect(() => {
    const color = accentColour()
    const shapes = L.layerGroup().addTo(map)
    function draw(): void {
      shapes.clearLayers()
      for (const shape of shapesOf(map, view, color)) shapes.addLayer(shape)
    }
    draw()
    map.on('zoomend', draw)
    return () => {
      map.off('zoomend', draw)
      shapes.remove()
    }
  }, [map, view, theme])
  return null
}

/** The shapes of a camera at the map's zoom. */
export function shapesOf(
  map: L.Map,
  { position, heading, fieldOfView, footprint }: CameraView,
  color: string,
): L.Layer[] {
  if (!position) return []
  const shapes: L.Layer[] = []
  if (footprint) {
    const dashArray = footprint.isCut ? '6 6' : undefined
    shapes.push(
      L.polygon(footprint.outline.map(latLng), { color, weight: 2, fillOpacity: 0.12, dashArray, interactive: false }),
    )
  }
  const cone = coneOf(map, { position, heading, fieldOfView }, CONE)
  if (cone) {
    const isLine = !fieldOfView
    shapes.push(L.polygon(cone, { color, weight: isLine ? 3 : 1, fillOpacity: 0.35, interactive: false }))
  }
  return shapes
}

/** The corners of a camera's cone at the map's zoom, `length` pixels long; null without a heading. Without a field of view it is a line. */
export function coneOf(
  map: L.Map,
  { position, heading, fieldOfView }: Pick<CameraView, 'position' | 'heading' | 'fieldOfView'>,
  length: number,
): L.LatLng[] | null {
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

const latLng = ({ latitude, longitude }: Position): L.LatLng => L.latLng(latitude, longitude)
