import { ChevronRight, MapPinOff, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { PhotoImage } from '../components/photo-image.tsx'
import { Button, IconButton } from '../components/ui/button.tsx'
import { countOf, formatNumber } from '../lib/format.ts'
import { wrap } from '../lib/geography.ts'
import { formatHeading } from '../lib/heading.ts'
import { nameOf, type PlacedPoint, placeOf } from './points.ts'

/** More are not read by anybody: zooming in shows the others. */
const MAX_LISTED = 100

/** Of the button that opens the photos without a position. */
export const WITHOUT_ID = 'map-without'

interface PointListProps {
  points: readonly PlacedPoint[]
  without: number
  /** Opens the photos without a position; absent: they are only counted. */
  onWithout?: () => void
  isSelected: (photoId: number) => boolean
  onOpen: (point: PlacedPoint) => void
  onHover: (point: PlacedPoint | null) => void
}

/** The photos in the window of the map as a list, in the same order: what the map shows, for everybody who does not see or use it. */
export function PointList({ points, without, onWithout, isSelected, onOpen, onHover }: PointListProps) {
  const photos = points.reduce((sum, { count }) => sum + count, 0)
  const heading = useRef<HTMLHeadingElement>(null)
  const opened = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: other points replace the one with the focus
  useEffect(() => {
    if (!opened.current || document.activeElement !== document.body) return
    opened.current = false
    heading.current?.focus({ preventScroll: true })
  }, [points])

  /** A place gives way to its photos: the keyboard goes on at the beginning of the new list. */
  function open(point: PlacedPoint): void {
    opened.current = point.count > 1
    onOpen(point)
  }

  return (
    <section aria-labelledby="map-list" className="flex min-h-0 flex-col">
      <h3 id="map-list" ref={heading} tabIndex={-1} className="px-1 font-semibold outline-none">
        On this part of the map
      </h3>
      <p role="status" className="px-1 text-sm text-muted">
        {[
          photos === 0 ? 'No photos' : countOf(photos, 'photo'),
          ...(without > 0 && !onWithout ? [`${countOf(without, 'photo')} without a position`] : []),
        ].join(' · ')}
      </p>
      {without > 0 && onWithout && (
        <Button id={WITHOUT_ID} size="small" className="mt-2 justify-start" onClick={onWithout}>
          <MapPinOff aria-hidden className="text-muted" />
          <span>{`${countOf(without, 'photo')} without a position`}</span>
          <ChevronRight aria-hidden className="ml-auto text-muted" />
        </Button>
      )}
      <ul className="mt-2 grid min-h-0 grid-cols-1 content-start gap-0.5 overflow-y-auto overscroll-contain p-1">
        {points.slice(0, MAX_LISTED).map((point) => (
          <li key={point.key}>
            <button
              type="button"
              onClick={() => open(point)}
              onMouseEnter={() => onHover(point)}
              onMouseLeave={() => onHover(null)}
              onFocus={() => onHover(point)}
              onBlur={() => onHover(null)}
              className="flex min-h-14 w-full items-center gap-3 rounded-md p-1.5 text-left transition hover:bg-sunken"
            >
              <PhotoImage
                src={point.photo.smallUrl ?? point.photo.thumbnailUrl}
                alt=""
                thumbhash={point.photo.thumbhash}
                className="pointer-events-none size-11 shrink-0 rounded-sm"
              />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-semibold">
                  {nameOf(point)}
                  {point.count === 1 && isSelected(point.photo.id) && ', selected'}
                </span>
                <span className="block text-sm text-muted">{factsOf(point)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {points.length > MAX_LISTED && (
        <p className="px-1 pt-2 text-sm text-muted">
          {`${formatNumber(points.length - MAX_LISTED)} more places: zoom in to see them here`}
        </p>
      )}
    </section>
  )
}

/** More say nothing: about a metre. */
const MAX_DECIMALS = 5
/** From this latitude on, tiles have photos at the edge of the map. */
const EDGE = 85

/** 'Duluth, Minnesota · facing northeast'; where no place is known its position. */
function factsOf(point: PlacedPoint): string {
  const place = placeOf(point) ?? formatPosition(point)
  const { yaw } = point.photo
  if (point.count > 1 || yaw === undefined) return place
  return `${place} · ${yaw === null ? 'no heading' : formatHeading(yaw)}`
}

/** '46.84261, -91.99456', with as many decimals as are known; 'around …' for several photos. */
function formatPosition({ position: { latitude, longitude }, decimals, count }: PlacedPoint): string {
  const degrees = (value: number) => value.toFixed(Math.min(decimals, MAX_DECIMALS))
  const isBeyond = Math.abs(latitude) >= EDGE
  const north = isBeyond ? `beyond ${EDGE}° ${latitude > 0 ? 'N' : 'S'}` : degrees(latitude)
  const place = `${north}, ${degrees(wrap(longitude))}`
  return count > 1 ? `around ${place}` : place
}

/** The photos of one place, below the map: those that no zoom can tell apart. */
export function PlaceSection(props: { count: number; onClose: () => void; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    heading.current?.scrollIntoView({ block: 'start', behavior: calm ? 'instant' : 'smooth' })
  }, [])
  return (
    <section aria-labelledby="map-place" className="mt-6">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h3 id="map-place" ref={heading} tabIndex={-1} className="scroll-mt-32 text-lg font-semibold outline-none">
          {`${countOf(props.count, 'photo')} at this place`}
        </h3>
        <IconButton label="Close the photos of this place" icon={<X />} onClick={props.onClose} />
      </div>
      {props.children}
    </section>
  )
}
