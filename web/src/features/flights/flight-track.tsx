import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { PhotoList } from '../../api/photo-lists.ts'
import { readGround } from '../../api/photo-map.ts'
import type { FlightDetails, TrackPoint } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { PhotoImage } from '../../components/photo-image.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf } from '../../lib/format.ts'
import { headingFrom } from '../../lib/heading.ts'
import type { CameraPhoto } from '../../map/camera-view.ts'
import { useSettings } from '../../photos/use-settings.ts'
import { exactTimeOf, heightOf } from './flight-texts.ts'
import { useFlightShift } from './use-flight-shift.ts'

/** The map itself, and the place where it will be. */
const MAP = 'h-[min(56vh,480px)] min-h-72 rounded-lg overflow-hidden'
const TrackMap = lazyComponent(() => import('../../map/track-map.tsx').then((code) => code.TrackMap), {
  Loading: () => <Skeleton className={MAP} />,
  failure: 'The map could not be loaded',
})

/** The track of a flight on the map, and its photos in order; what is chosen in one is chosen in the other. */
export function FlightTrack({ flight }: { flight: FlightDetails }) {
  const { track } = flight
  const [chosenId, choose] = useState<number | null>(null)
  const cameras = useMemo(() => new Map(track.map((point) => [point.photoId, toCamera(point)])), [track])
  const client = useQueryClient()
  // The photos may have been moved with the track.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const ground = useMemo(() => readGround(client, listOf(flight.id)), [client, flight.id, track])
  const shift = useFlightShift(flight)
  const selected = track.find(({ photoId }) => photoId === chosenId) ?? track[0]
  if (!selected) return null
  return (
    <section aria-label="Track" className="grid gap-4">
      <TrackMap
        label={`Track of ${countOf(track.length, 'photo')}`}
        track={track}
        cameras={cameras}
        selectedId={selected.photoId}
        onSelect={choose}
        ground={ground}
        shift={shift}
        className={MAP}
      />
      <TrackStrip track={track} selectedId={selected.photoId} onSelect={choose} />
      {track.length < flight.photoCount && (
        <p className="text-sm text-muted">
          {`The track shows ${countOf(track.length, 'photo')} of ${countOf(flight.photoCount, 'photo')}.`}
        </p>
      )}
      <ChosenPhoto point={selected} flightId={flight.id} />
    </section>
  )
}

function listOf(flightId: number): PhotoList {
  return { folderId: null, sort: 'taken-newest', filter: { flight: String(flightId) } }
}

function toCamera({ latitude, longitude, width, height, projection, ...point }: TrackPoint): CameraPhoto {
  const drone = {
    RelativeAltitude: point.relativeAltitude ?? undefined,
    GimbalPitchDegree: point.pitch ?? undefined,
    GimbalRollDegree: point.roll ?? undefined,
  }
  return {
    ...{ latitude: String(latitude), longitude: String(longitude), width, height, projection },
    metadata: {
      Model: point.model ?? undefined,
      FocalLength: point.focalLength ?? undefined,
      FocalLengthIn35mmFormat: point.focalLength35 ?? undefined,
      DigitalZoomRatio: point.digitalZoom ?? undefined,
      heading: point.yaw ?? undefined,
      turned: point.turned,
      drone,
    },
  }
}

/** What is known of the chosen photo, and the way to it. */
function ChosenPhoto({ point, flightId }: { point: TrackPoint; flightId: number }) {
  const { units } = useSettings()
  const { photoId, title, at, relativeAltitude, yaw } = point
  const heading = yaw === null ? null : headingFrom(yaw)
  const facts = [
    exactTimeOf(at),
    relativeAltitude === null ? 'No height in this photo' : heightOf(relativeAltitude, units),
    heading ? `Facing ${heading.direction.toLowerCase()}, ${heading.degrees}°` : 'No heading in this photo',
  ]
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line">
      <div aria-live="polite" className="min-w-0">
        <p className="truncate font-semibold">{title || 'Untitled'}</p>
        <p className="text-sm text-muted">{facts.join(' · ')}</p>
      </div>
      <Button asChild>
        <Link to={`/?flight=${flightId}&sort=taken-oldest&photo=${photoId}`}>Open photo</Link>
      </Button>
    </div>
  )
}

/** Pixels of a photo and the gap behind it. */
const STEP = 128
/** Photos beside the window that are rendered, too. */
const BESIDE = 4

interface TrackStripProps {
  track: readonly TrackPoint[]
  selectedId: number
  onSelect: (photoId: number) => void
}

/** The photos of a flight in order, as one control: arrows, Home and End choose. Only those in view are rendered. */
function TrackStrip({ track, selectedId, onSelect }: TrackStripProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ left: 0, width: 1400 })
  const selected = track.findIndex(({ photoId }) => photoId === selectedId)
  const chosen = track[selected]
  const [from, to] = visibleRange(view, track.length)

  useEffect(() => {
    const element = strip.current
    if (!element) return
    const measure = () => setView({ left: element.scrollLeft, width: element.clientWidth })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const element = strip.current
    if (!element) return
    const start = selected * STEP
    const isVisible = start >= element.scrollLeft && start + STEP <= element.scrollLeft + element.clientWidth
    // Not `scrollIntoView`: it would scroll the page, too.
    if (!isVisible) element.scrollLeft = start - (element.clientWidth - STEP) / 2
  }, [selected])

  function step(event: KeyboardEvent): void {
    const targets = new Map([
      ['ArrowLeft', selected - 1],
      ['ArrowRight', selected + 1],
      ['Home', 0],
      ['End', track.length - 1],
    ])
    const point = track[targets.get(event.key) ?? -1]
    if (!point) return
    event.preventDefault()
    onSelect(point.photoId)
  }

  return (
    <div
      ref={strip}
      role="listbox"
      aria-label="Photos of the flight"
      aria-orientation="horizontal"
      aria-activedescendant={selected >= from && selected < to ? optionId(selectedId) : undefined}
      tabIndex={0}
      onKeyDown={step}
      onScroll={({ currentTarget }) => setView({ left: currentTarget.scrollLeft, width: currentTarget.clientWidth })}
      className="overflow-x-auto rounded-md py-1"
    >
      <div role="presentation" className="relative h-29" style={{ width: track.length * STEP }}>
        {track.slice(from, to).map((point, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
          <div
            key={point.photoId}
            role="option"
            id={optionId(point.photoId)}
            aria-selected={point === chosen}
            aria-posinset={from + index + 1}
            aria-setsize={track.length}
            aria-label={`${point.title || 'Untitled'}, ${exactTimeOf(point.at)}`}
            onClick={() => onSelect(point.photoId)}
            className="absolute top-0 cursor-pointer"
            style={{ left: (from + index) * STEP + 4, width: STEP - 10 }}
          >
            <PhotoImage
              src={point.smallUrl ?? point.thumbnailUrl}
              alt=""
              thumbhash={point.thumbhash}
              className={cx('aspect-3/2 rounded-md', point === chosen && 'ring-3 ring-accent')}
            />
            <p
              aria-hidden
              className={cx('pt-1 text-center text-sm', point === chosen ? 'font-semibold' : 'text-muted')}
            >
              {exactTimeOf(point.at)}
            </p>
          </div>
        ))}
      </div>
    </div>
  )
}

const optionId = (photoId: number) => `track-photo-${photoId}`

/** The index of the first photo to render and the one behind the last. */
export function visibleRange({ left, width }: { left: number; width: number }, count: number): [number, number] {
  const from = Math.max(0, Math.floor(left / STEP) - BESIDE)
  const to = Math.min(count, Math.ceil((left + width) / STEP) + BESIDE)
  return [Math.min(from, count), to]
}
