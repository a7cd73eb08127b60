import { useQuery } from '@tanstack/react-query'
import L from 'leaflet'
import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { configQuery } from '../api/queries.ts'
import type { AppConfig } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { cx } from '../lib/cx.ts'
import { type Area, MAX_LATITUDE } from '../lib/geography.ts'
import { BaseLayer } from './base-layer.ts'
import { type BaseTiles, createBaseTiles } from './base-tiles.ts'
import { LabelLayer } from './label-layer.ts'
import { layerToShow, type MapLayer, useLayerChoice, useMapLayers } from './map-layers.ts'
import './map.css'
import 'leaflet/dist/leaflet.css'

const MAX_ZOOM = 22
const WORLD: Area = { west: -170, south: -56, east: 170, north: 72 }

interface MapSurfaceProps {
  /** What the map shows, for screen readers. */
  label: string
  /** What it shows first; null: the world. */
  area: Area | null
  /** The zoom beyond which even a small area is not enlarged at first. */
  closest?: number
  /** A small map inside something that scrolls and has keys of its own. */
  small?: boolean
  className?: string
  /** The layers of the map, and what lies over it. */
  children?: ReactNode
}

/** A map with its background. Its layers are components inside it, which find it by `useMap`. */
export function MapSurface({ label, area, closest, small = false, className, children }: MapSurfaceProps) {
  const element = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<L.Map | null>(null)
  const [below, setBelow] = useState<HTMLElement | null>(null)
  const [first] = useState(area)

  useEffect(() => {
    if (!element.current) return
    const made = createMap(element.current, small)
    fit(made, first ?? WORLD, closest)
    L.control.scale({ maxWidth: 96 }).addTo(made)
    const observer = new ResizeObserver(() => {
      made.invalidateSize({ pan: false })
      made.setMinZoom(leastZoom(made.getSize().x))
    })
    observer.observe(element.current)
    setMap(made)
    return () => {
      observer.disconnect()
      setMap(null)
      made.remove()
    }
  }, [small, first, closest])

  return (
    <div>
      <div className={cx('relative overflow-hidden', className)}>
        <div ref={element} role="application" aria-label={label} className="photo-map absolute inset-0" />
        {map && (
          <MapContext value={{ map, below }}>
            <Background />
            <WorldEdges />
            {children}
          </MapContext>
        )}
      </div>
      <div ref={setBelow} className="not-empty:mt-2" />
    </div>
  )
}

/** The whole world is 512 pixels wide at zoom 1: more than a phone has. */
function leastZoom(width: number): number {
  return width < 512 ? 0 : 1
}

function createMap(element: HTMLElement, small: boolean): L.Map {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  return L.map(element, {
    zoomControl: false,
    attributionControl: false,
    minZoom: leastZoom(element.clientWidth),
    maxZoom: MAX_ZOOM,
    maxBounds: [
      [-MAX_LATITUDE, -540],
      [MAX_LATITUDE, 540],
    ],
    maxBoundsViscosity: 1,
    scrollWheelZoom: !small,
    // Its keys and a finger on it are those of what it is in.
    keyboard: !small,
    dragging: !small || !matchMedia('(pointer: coarse)').matches,
    boxZoom: false,
    zoomAnimation: !calm,
    fadeAnimation: !calm,
    markerZoomAnimation: !calm,
    inertia: !calm,
  })
}

/** Covers the map where it shows a world again, at both sides of one world: one that is narrower than the map stands in its middle. */
function WorldEdges() {
  const map = useMap()
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const update = (zoom: number) => {
      const edge = Math.max(0, (map.getSize().x - worldWidth(map, zoom)) / 2)
      setWidth(edge)
      // The scale stands on the world.
      map.getContainer().style.setProperty('--edge', `${edge}px`)
    }
    const now = () => update(map.getZoom())
    const early = ({ zoom }: L.ZoomAnimEvent) => update(zoom)
    now()
    map.on('zoomend resize', now).on('zoomanim', early)
    return () => {
      map.off('zoomend resize', now).off('zoomanim', early)
    }
  }, [map])
  const className = 'pointer-events-none absolute inset-y-0 bg-bg transition-[width] duration-250'
  return (
    <>
      <div className={cx('left-0', className)} style={{ width }} />
      <div className={cx('right-0', className)} style={{ width }} />
    </>
  )
}

/** Pixels. */
export function worldWidth(map: L.Map, zoom = map.getZoom()): number {
  return map.options.crs?.scale(zoom) ?? 0
}

/** The own map, or the layer of another server that the user has chosen. */
function Background() {
  const map = useQuery(configQuery).data?.map
  const [choice] = useLayerChoice()
  const layer = layerToShow(useMapLayers(), choice)
  if (layer) return <ExternalBackground key={layer.url} {...layer} />
  // An installation that has not built its base map shows the photos without a background.
  if (!map?.base) return null
  return <OwnBackground description={{ ...map, base: map.base }} />
}

/** Tiles are the same for all maps of the page. */
const tilesOf = new Map<string, BaseTiles>()

function OwnBackground({ description }: { description: AppConfig['map'] & { base: string } }) {
  const map = useMap()
  const theme = usePageTheme()
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState(false)
  const [isBlank, setBlank] = useState(false)
  const { base, attribution } = description
  const create = useEffectEvent(() => createBaseTiles(description))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours, another attempt reads again
  useEffect(() => {
    setFailed(false)
    const tiles = tilesOf.get(base) ?? create()
    tilesOf.set(base, tiles)
    const layer = new BaseLayer({ tiles, onError: () => setFailed(true), onDrawn: setBlank }).addTo(map)
    const labels = new LabelLayer({ tiles }).addTo(map)
    return () => {
      layer.remove()
      labels.remove()
    }
  }, [map, base, theme, attempt])
  return (
    <>
      <Attribution text={attribution} />
      {isBlank && !failed && (
        <p
          role="status"
          className="pointer-events-none absolute inset-x-0 bottom-8 z-10 mx-auto w-fit rounded-sm bg-surface/80 px-2 py-0.5 text-xs text-muted"
        >
          No streets for this place
        </p>
      )}
      {failed && <BackgroundFailure onRetry={() => setAttempt(attempt + 1)} />}
    </>
  )
}

function ExternalBackground({ url, attribution, maxZoom: maxNativeZoom }: MapLayer) {
  const map = useMap()
  const layer = useRef<L.TileLayer>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const made = L.tileLayer(url, { maxZoom: MAX_ZOOM, maxNativeZoom, referrerPolicy: 'no-referrer' })
    let isComplete = true
    made.on('loading', () => {
      isComplete = true
    })
    made.on('tileerror', () => {
      isComplete = false
      setFailed(true)
    })
    made.on('load', () => setFailed(!isComplete))
    layer.current = made.addTo(map)
    return () => {
      made.remove()
    }
  }, [map, url, maxNativeZoom])
  return (
    <>
      <Attribution text={attribution} />
      {failed && <BackgroundFailure onRetry={() => layer.current?.redraw()} />}
    </>
  )
}

function BackgroundFailure({ onRetry }: { onRetry: () => void }) {
  return (
    <div
      role="alert"
      className="absolute inset-x-0 bottom-8 z-10 mx-auto flex w-fit max-w-[calc(100%-16px)] items-center gap-2 rounded-md bg-surface py-1 pr-1 pl-3 text-sm shadow-high"
    >
      The background could not be loaded
      <Button size="small" variant="quiet" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function Attribution({ text }: { text: string }) {
  return (
    <p className="pointer-events-none absolute right-0 bottom-0 z-10 max-w-full truncate rounded-tl-sm bg-surface/80 px-1.5 text-[10px]/4 text-muted">
      {text}
    </p>
  )
}

/** The map that a layer's component is on, and the place below it. */
const MapContext = createContext<{ map: L.Map; below: HTMLElement | null } | null>(null)

function useMapContext() {
  const context = use(MapContext)
  if (!context) throw new Error('A layer of the map is used outside of it')
  return context
}

export const useMap = () => useMapContext().map

/** What stands below the map, where it covers nothing. */
export function BelowMap({ children }: { children: ReactNode }) {
  const { below } = useMapContext()
  return below && createPortal(children, below)
}

/**
 * Puts what `draw` adds to a group on the map as long as the component is there. It is drawn again when one of the values
 * that it is drawn from changes, in another theme, and with `atZoom` at each zoom.
 */
export function useShapes(
  draw: (shapes: L.LayerGroup, accent: string) => void,
  from: readonly unknown[],
  { atZoom = false } = {},
): void {
  const map = useMap()
  const theme = usePageTheme()
  // Leaflet's shapes take no variables.
  const accent = () => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
  const fill = useEffectEvent((shapes: L.LayerGroup) => draw(shapes.clearLayers(), accent()))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const shapes = L.layerGroup().addTo(map)
    const redraw = () => fill(shapes)
    redraw()
    if (atZoom) map.on('zoomend', redraw)
    return () => {
      map.off('zoomend', redraw)
      shapes.remove()
    }
  }, [map, theme, atZoom, ...from])
}

/** 'light' or 'dark': the theme that the page has now. */
function usePageTheme(): string {
  return useSyncExternalStore(followTheme, () => document.documentElement.dataset.theme ?? 'light')
}

function followTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

export function bounds({ west, south, east, north }: Area): L.LatLngBounds {
  return L.latLngBounds([south, west], [north, east < west ? east + 360 : east])
}

/** A single photo is shown with its neighbourhood, not with its roof. */
const MAX_FIT_ZOOM = 17

/** Shows an area as large as it fits. The event `fit` tells that the next move is not the user's. */
export function fit(map: L.Map, area: Area, maxZoom = MAX_FIT_ZOOM): void {
  map.fire('fit')
  map.fitBounds(bounds(area), { padding: [32, 32], maxZoom })
}
