import L from 'leaflet'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { MOST_READ } from '../../api/photo-lists.ts'
import type { PublicPhoto } from '../../api/types.ts'
import { renditionsOf } from '../../components/renditions.ts'
import { Button } from '../../components/ui/button.tsx'
import { countOf } from '../../lib/format.ts'
import type { Area } from '../../lib/geography.ts'
import { errorMessage } from '../../lib/http.ts'
import { type CameraPhoto, MAX_DISTANCE } from '../camera-view.ts'
import { BelowMap, useMap } from '../map-surface.tsx'
import { areaBetween } from '../points.ts'
import { GroundLayer, type GroundPhoto, type ShownPictures } from './ground-layer.ts'
import { drawingOrder, groundPicture } from './ground-picture.ts'
import { type GroundShift, GroundShiftControl } from './ground-shift.tsx'

/** A photo that may lie on the ground. */
export type GroundCandidate = CameraPhoto &
  Pick<PublicPhoto, 'id' | 'dateTaken' | 'smallUrl' | 'thumbnailUrl' | 'mediumUrl' | 'previewUrl'>

/** Where the photos on the ground come from. */
export interface GroundSource {
  /** The photos that were taken in an area: the newest `MOST_READ` of more. */
  read(area: Area): Promise<readonly GroundCandidate[]>
}

export interface GroundPicturesProps {
  /** Another source is read at once, with the old pictures in place. */
  source: GroundSource
  /** Absent: the photos cannot be shifted. */
  shift?: GroundShift
  /** They cannot be drawn. */
  onFailure: () => void
}

/** The pictures of photos on the ground that they show, with their opacity, and what is to be said of them. */
export function GroundPictures({ source, shift, onFailure }: GroundPicturesProps) {
  const [opacity, setOpacity] = useState(1)
  const [shown, setShown] = useState<ShownPictures | null>(null)
  const map = useMap()
  const section = useRef<HTMLElement>(null)
  const fail = useEffectEvent(onFailure)
  const [layer] = useState(() => new GroundLayer(setShown, () => fail()))
  const read = useGroundPhotos(source)

  useEffect(() => {
    const { classList } = map.getContainer()
    layer.addTo(map)
    classList.add('on-ground')
    return () => {
      layer.remove()
      classList.remove('on-ground')
    }
  }, [map, layer])
  useEffect(() => layer.setPhotos(read.photos), [layer, read.photos])
  useEffect(() => layer.setOpacity(opacity), [layer, opacity])

  const retry = read.error ? read.again : shown?.failed ? () => layer.retry() : null
  const isTooFar = read.isTooFar || (shown?.count === 0 && shown.hasSmall)
  const isShown = !isTooFar && shown !== null && shown.count > 0
  return (
    <>
      {isTooFar && (
        // The bar may be out of the window.
        <p
          aria-hidden
          className="pointer-events-none absolute inset-x-16 top-13 z-10 mx-auto w-fit rounded-md bg-surface px-3 py-1.5 text-center text-sm shadow-high"
        >
          {TOO_FAR}
        </p>
      )}
      <BelowMap>
        <section
          ref={section}
          tabIndex={-1}
          aria-label="Photos on the ground"
          className="flex flex-wrap items-center gap-x-5 gap-y-1 rounded-lg bg-surface px-4 py-2 text-sm shadow-low ring ring-line"
        >
          <OpacitySlider opacity={opacity} onChange={setOpacity} />
          {shift && isShown && <GroundShiftControl shift={shift} layer={layer} photos={read.photos} />}
          <div role="status" className="text-muted">
            {(isTooFar ? [TOO_FAR] : textsOf(read, shown)).map((text) => (
              <p key={text}>{text}</p>
            ))}
          </div>
          {retry && (
            <Button
              size="small"
              onClick={() => {
                retry()
                // The button may go.
                section.current?.focus({ preventScroll: true })
              }}
            >
              Try again
            </Button>
          )}
        </section>
      </BelowMap>
    </>
  )
}

const TOO_FAR = 'Zoom in to see the photos on the ground'

function OpacitySlider({ opacity, onChange }: { opacity: number; onChange: (opacity: number) => void }) {
  const id = useId()
  return (
    <div className="flex w-full items-center gap-3 sm:w-56">
      <label htmlFor={id} className="font-semibold">
        Opacity
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={opacity}
        aria-valuetext={`${Math.round(opacity * 100)} percent`}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-11 w-full min-w-24 accent-accent sm:h-8"
      />
    </div>
  )
}

type Read = ReturnType<typeof useGroundPhotos>

/** What the user should know: what is there, and why others are not. */
function textsOf({ photos, leftOut, isLoading, error }: Read, shown: ShownPictures | null): string[] {
  if (error) return [errorMessage(error)]
  if (!shown || (isLoading && photos.length === 0)) return ['Loading photos']
  const missing = [...leftOut.values()].reduce((sum, count) => sum + count, 0)
  const known = photos.length + missing
  return [
    shown.count > 0 ? countOf(shown.count, 'picture') : 'No photos on the ground here',
    ...(shown.waiting > 0 ? [`${shown.waiting} still loading`] : []),
    ...[...leftOut].map(([reason, count]) => `${countOf(count, 'photo')} left out: ${reason}`),
    ...(known >= MOST_READ ? [`Only the newest ${countOf(known, 'photo')} here`] : []),
    ...(shown.failed > 0 ? [`${countOf(shown.failed, 'picture')} could not be loaded`] : []),
  ]
}

/** From farther away a picture of a drone is a dot. */
const MIN_ZOOM = 14
/** What is read around the window, as a part of its size: moves within it read nothing. */
const AROUND = 0.5

interface Loaded {
  source: GroundSource
  bounds: L.LatLngBounds
}

const NONE = { photos: [] as GroundPhoto[], leftOut: new Map<string, number>() }

/** The photos on the ground in the window and around it, the lowest first. */
function useGroundPhotos(source: GroundSource) {
  const map = useMap()
  const [found, setFound] = useState(NONE)
  const [error, setError] = useState<unknown>(null)
  const [isLoading, setLoading] = useState(true)
  const [isTooFar, setTooFar] = useState(false)
  const loaded = useRef<Loaded>(null)
  const latest = useRef(0)

  const load = useEffectEvent(async () => {
    setTooFar(map.getZoom() < MIN_ZOOM)
    const window = around(map.getBounds())
    latest.current += 1
    const own = latest.current
    const isLoaded = loaded.current?.source === source && loaded.current.bounds.contains(window)
    const isNeeded = map.getZoom() >= MIN_ZOOM && !isLoaded
    setLoading(isNeeded)
    setError(null)
    if (!isNeeded) return
    try {
      const bounds = window.pad(AROUND)
      const photos = await source.read(
        areaBetween(bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()),
      )
      if (own !== latest.current) return
      loaded.current = { source, bounds }
      setFound(onGround(photos))
    } catch (failure) {
      if (own === latest.current) setError(failure)
    }
    if (own === latest.current) setLoading(false)
  })

  useEffect(() => {
    const moved = () => void load()
    map.on('moveend', moved)
    return () => {
      latest.current += 1
      map.off('moveend', moved)
    }
  }, [map])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another source is read at once
  useEffect(() => void load(), [source])

  return { ...found, error, isLoading, isTooFar, again: () => void load() }
}

/** The window with the ground from which pictures reach into it. */
function around(window: L.LatLngBounds): L.LatLngBounds {
  const margin = window.getCenter().toBounds(2 * MAX_DISTANCE)
  const [height, width] = [margin.getNorth() - margin.getSouth(), margin.getEast() - margin.getWest()]
  return L.latLngBounds(
    [window.getSouth() - height / 2, window.getWest() - width / 2],
    [window.getNorth() + height / 2, window.getEast() + width / 2],
  )
}

/** The pictures of photos, the lowest first, and how many have none, by the reason. */
function onGround(candidates: readonly GroundCandidate[]): typeof NONE {
  const photos: GroundPhoto[] = []
  const leftOut = new Map<string, number>()
  for (const photo of candidates) {
    const picture = groundPicture(photo)
    const renditions = [...renditionsOf(photo)]
    if (!('reason' in picture) && photo.width && photo.height && renditions.length > 0) {
      const { id, dateTaken: takenAt, width, height } = photo
      photos.push({ id, takenAt, tilt: picture.tilt, picture, aspect: width / height, renditions })
      continue
    }
    const reason = 'reason' in picture ? picture.reason : 'The picture is still being processed'
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  }
  return { photos: photos.sort(drawingOrder), leftOut }
}
