import L from 'leaflet'
import { createContext, use, useEffect, useState } from 'react'
import type { Area } from './mercator.ts'

/** The map that a layer's component is on. */
export const MapContext = createContext<L.Map | null>(null)

export function useMap(): L.Map {
  const map = use(MapContext)
  if (!map) throw new Error('A layer of the map is used outside of it')
  return map
}

/** Puts a layer on the map as long as the component is there. It is made again when `make` changes. */
export function useLayer(make: () => L.Layer | null): void {
  const map = useMap()
  useEffect(() => {
    const layer = make()?.addTo(map)
    return () => {
      layer?.remove()
    }
  }, [map, make])
}

/** 'light' or 'dark': the theme that the page has now. */
export function usePageTheme(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? 'light')
  useEffect(() => {
    const read = () => setTheme(document.documentElement.dataset.theme ?? 'light')
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    read()
    return () => observer.disconnect()
  }, [])
  return theme
}

/** The colour of the theme for Leaflet's shapes, which take no variables. */
export function accentColour(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
}

/** An area as Leaflet has it. */
export function bounds({ west, south, east, north }: Area): L.LatLngBounds {
  return L.latLngBounds([south, west], [north, east < west ? east + 360 : east])
}

/** A single photo is shown with its neighbourhood, not with its roof. */
const MAX_FIT_ZOOM = 17

/** Shows an area as large as it fits. */
export function fit(map: L.Map, area: Area, maxZoom = MAX_FIT_ZOOM): void {
  map.fitBounds(bounds(area), { padding: [48, 48], maxZoom })
}
