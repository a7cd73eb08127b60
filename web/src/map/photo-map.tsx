import { BoxSelect, LandPlot, Move } from 'lucide-react'
import { type ReactNode, type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../components/ui/button.tsx'
import { Spinner } from '../components/ui/loading.tsx'
import type { Area, Circle, Position } from '../lib/geography.ts'
import { errorMessage } from '../lib/http.ts'
import { CameraLayer } from './camera-layer.tsx'
import { type CameraPhoto, type CameraView, cameraView } from './camera-view.ts'
import type { GroundSource } from './ground/ground-pictures.tsx'
import { GroundPictures, MapTool, MapTools, ZoomControls } from './map-controls.tsx'
import { BoxDrawing, FilterOutline, visibleArea } from './map-overlays.tsx'
import { bounds, fit, MapSurface, useMap } from './map-surface.tsx'
import { type MarkerState, PointLayer, type PointLayerHandlers } from './point-layer.ts'
import { PointList } from './point-list.tsx'
import type { PlacedPoint, PointSource } from './points.ts'

/** The pointer passes over many markers: only where it stays, a camera is read and drawn. */
const HOVER_MS = 150
/** A cell this small cannot be opened further, in degrees: about a metre. */
const ONE_PLACE = 0.00001

interface PhotoMapProps {
  /** Another source is read at once, with the old points in place. */
  source: PointSource
  /** The photos on the ground, which the user may switch on. */
  ground: GroundSource
  /** What is shown first; null: the world. */
  start: Area | null
  /** The area of all photos; null without any. */
  all: Area | null
  /** Which photos these are: others are brought into the window if none of them is there. */
  photosKey: string
  /** Photos without a position. */
  without: number
  /** Opens them; absent: they are only counted. */
  onWithout?: () => void
  onOpenPhoto: (id: number) => void
  /** Several photos at a place that cannot be opened by zooming in. */
  onOpenPlace: (area: Area, count: number) => void
  /** Reads what a photo tells about its camera. */
  readCamera: (id: number) => Promise<CameraPhoto | null>
  /** The filters that the source has. */
  area?: Area | null
  circle?: Circle | null
  /** Filters the photos by an area; absent: they cannot be filtered. */
  onArea?: (area: Area) => void
  isSelected?: (photoId: number) => boolean
  /** A photo was dragged; absent: photos cannot be moved. */
  onMove?: (point: PlacedPoint, to: Position) => void
  /** More buttons at its right. */
  tools?: ReactNode
  /** Stands beside it in place of the list. */
  beside?: ReactNode
  /** More layers, and what lies over the map. */
  children?: ReactNode
}

const nothing = () => false

/** Photos on a map, and beside it those of the window as a list. */
export function PhotoMap(props: PhotoMapProps) {
  const { ground, start, without, readCamera, area = null, circle = null, onArea, isSelected = nothing, onMove } = props
  const [points, setPoints] = useState<PlacedPoint[]>([])
  const [hovered, setHovered] = useHovered()
  const [moving, setMoving] = useState(false)
  const [drawing, setDrawing] = useState(false)
  const [onGround, setOnGround] = useState(false)
  // Gets the function that opens a point.
  const opener = useRef<(point: PlacedPoint) => void>(null)
  const movable = moving && onMove !== undefined

  function movePoint(point: PlacedPoint, to: Position): void {
    setHovered(null)
    onMove?.(point, to)
  }

  function filterBy(chosen: Area): void {
    setDrawing(false)
    onArea?.(chosen)
  }

  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <MapSurface
        label="Map of the photos. Arrow keys move it, plus and minus zoom; the Tab key goes to the photos."
        area={start}
        className="h-[max(20rem,62dvh)] rounded-lg ring ring-line"
      >
        <Points
          {...props}
          state={{ isSelected, movable }}
          hovered={hovered}
          opener={opener}
          onMove={onMove && movePoint}
          onHover={setHovered}
          onShown={setPoints}
        />
        <HoveredCamera
          // Read again with the points: the photo may have been moved.
          key={hovered?.key}
          point={hovered?.count === 1 ? hovered : null}
          read={readCamera}
        />
        <FilterOutline area={area} circle={circle} />
        {onGround && <GroundPictures source={ground} onFailure={() => setOnGround(false)} />}
        <Controls
          {...props}
          drawing={drawing}
          onDrawing={setDrawing}
          moving={movable}
          onMoving={onMove && setMoving}
          tools={
            <>
              <MapTool
                label="Photos on the ground"
                icon={<LandPlot />}
                on={onGround}
                onClick={() => setOnGround(!onGround)}
              />
              {props.tools}
            </>
          }
        />
        {drawing && <BoxDrawing onDone={filterBy} onCancel={() => setDrawing(false)} />}
        {props.children}
      </MapSurface>
      <div className="flex max-h-[max(20rem,62dvh)] flex-col">
        {props.beside || (
          <PointList
            points={points}
            without={without}
            onWithout={props.onWithout}
            isSelected={isSelected}
            onOpen={(point) => opener.current?.(point)}
            onHover={setHovered}
          />
        )}
      </div>
    </div>
  )
}

/** The point below the pointer or with the focus, once it stays there. */
function useHovered() {
  const [hovered, setHovered] = useState<PlacedPoint | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const hover = useCallback((point: PlacedPoint | null) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setHovered(point), HOVER_MS)
  }, [])
  return [hovered, hover] as const
}

interface PointsProps
  extends Pick<PhotoMapProps, 'source' | 'onOpenPhoto' | 'onOpenPlace' | 'onMove'>,
    Pick<PointLayerHandlers, 'onHover' | 'onShown'> {
  state: MarkerState
  hovered: PlacedPoint | null
  opener: RefObject<((point: PlacedPoint) => void) | null>
}

/** The markers, and what their reading says: that it takes a while, or that it failed. */
function Points(props: PointsProps) {
  const { source, state, hovered, opener, onOpenPhoto, onOpenPlace, onMove, onHover, onShown } = props
  const map = useMap()
  const layer = useRef<PointLayer>(null)
  const [error, setError] = useState<unknown>(null)
  const [loading, setLoading] = useState(false)

  async function open(point: PlacedPoint): Promise<void> {
    if (point.count === 1) return onOpenPhoto(point.photo.id)
    try {
      const extent = await source.extentOf(point.cell)
      if (extent && !isOnePlace(extent) && map.getZoom() < map.getMaxZoom()) fit(map, extent, map.getMaxZoom())
      else onOpenPlace(point.cell, point.count)
    } catch (failure) {
      setError(failure)
    }
  }
  opener.current = open

  const openPoint = useEffectEvent(open)
  const movePoint = useEffectEvent((point: PlacedPoint, to: Position) => onMove?.(point, to))

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new source is given to the same layer
  useEffect(() => {
    const made = new PointLayer(source, {
      onOpen: openPoint,
      onMove: movePoint,
      onShown,
      onError: setError,
      onLoading: setLoading,
      onHover,
    })
    layer.current = made
    made.addTo(map)
    return () => {
      made.remove()
    }
  }, [map])

  const known = useRef(source)
  useEffect(() => {
    if (known.current !== source) layer.current?.setSource(source)
    known.current = source
  }, [source])

  useEffect(() => layer.current?.setState(state))
  useEffect(() => layer.current?.emphasize(hovered?.key ?? null), [hovered])

  if (error) {
    return (
      <div
        role="alert"
        className="absolute inset-x-14 top-13 z-10 mx-auto flex w-fit flex-wrap items-center gap-2 rounded-md bg-surface py-1 pr-1 pl-3 text-sm shadow-high"
      >
        <span>{errorMessage(error)}</span>
        <Button size="small" variant="quiet" onClick={() => layer.current?.setSource(source)}>
          Try again
        </Button>
      </div>
    )
  }
  // Appears only when reading takes a while.
  return (
    loading && (
      <div className="absolute bottom-3 left-3 z-10 rounded-full bg-surface p-2 shadow-high animate-appear [animation-delay:400ms] [animation-fill-mode:both]">
        <Spinner label="Loading photos" />
      </div>
    )
  )
}

function isOnePlace({ west, south, east, north }: Area): boolean {
  return Math.abs(east - west) < ONE_PLACE && north - south < ONE_PLACE
}

interface ControlsProps extends Pick<PhotoMapProps, 'all' | 'photosKey' | 'onArea' | 'tools'> {
  drawing: boolean
  onDrawing: (drawing: boolean) => void
  moving: boolean
  /** Absent: photos cannot be moved. */
  onMoving?: (moving: boolean) => void
}

function Controls({ all, photosKey, onArea, drawing, onDrawing, moving, onMoving, tools }: ControlsProps) {
  const map = useMap()
  const shown = useRef(photosKey)
  useEffect(() => {
    if (shown.current === photosKey) return
    shown.current = photosKey
    if (all && !map.getBounds().intersects(bounds(all))) fit(map, all)
  }, [map, photosKey, all])
  const moved = useMovedByHand()

  function searchHere(): void {
    moved.forget()
    // The button goes: its focus must not be lost.
    map.getContainer().focus({ preventScroll: true })
    onArea?.(visibleArea(map))
  }

  return (
    <>
      <ZoomControls all={all} />
      {onArea && !drawing && moved.is && (
        <Button size="small" className="absolute top-2 left-1/2 z-10 -translate-x-1/2 shadow-high" onClick={searchHere}>
          Search this area
        </Button>
      )}
      {drawing && <Hint>Draw a box around the photos. Escape ends it.</Hint>}
      {moving && <Hint>Drag a photo to where it was taken.</Hint>}
      <MapTools>
        {onArea && <MapTool label="Draw a box" icon={<BoxSelect />} on={drawing} onClick={() => onDrawing(!drawing)} />}
        {onMoving && <MapTool label="Move photos" icon={<Move />} on={moving} onClick={() => onMoving(!moving)} />}
        {tools}
      </MapTools>
    </>
  )
}

/** Whether the user has moved the map since it was fitted to photos or an area. */
function useMovedByHand() {
  const map = useMap()
  const [is, setMoved] = useState(false)
  useEffect(() => {
    let isFitted = false
    let size = map.getSize()
    const fitted = () => {
      isFitted = true
      setMoved(false)
    }
    const moved = () => {
      // Another size of the map moves it, too.
      if (!isFitted && size.equals(map.getSize())) setMoved(true)
      isFitted = false
      size = map.getSize()
    }
    map.on('fit', fitted).on('moveend', moved)
    return () => {
      map.off('fit', fitted).off('moveend', moved)
    }
  }, [map])
  return { is, forget: () => setMoved(false) }
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <p
      role="status"
      className="pointer-events-none absolute inset-x-16 top-13 z-20 mx-auto w-fit rounded-md bg-surface px-3 py-1.5 text-center text-sm shadow-high"
    >
      {children}
    </p>
  )
}

function HoveredCamera({ point, read }: { point: PlacedPoint | null; read: PhotoMapProps['readCamera'] }) {
  const [view, setView] = useState<CameraView | null>(null)
  const start = useEffectEvent(read)
  useEffect(() => {
    if (!point) return
    let left = false
    start(point.photo.id).then(
      (photo) => left || setView(photo && cameraView(besides(photo, point))),
      () => {}, // The marker says enough.
    )
    return () => {
      left = true
    }
  }, [point])
  return point && view && <CameraLayer view={view} />
}

/** The photo on that copy of a repeated world that its point is on. */
function besides(photo: CameraPhoto, { position }: PlacedPoint): CameraPhoto {
  const world = Math.floor((position.longitude + 180) / 360)
  return photo.longitude === null ? photo : { ...photo, longitude: String(Number(photo.longitude) + 360 * world) }
}
