import { useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import type { FlightDetails, TrackPoint } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import type { CameraPhoto } from '../../map/camera-view.ts'
import { formatHeading } from '../../map/heading.ts'
import { useSettings } from '../../photos/use-settings.ts'
import { exactTimeOf, heightOf } from './flight-texts.ts'
import { TrackStrip } from './track-strip.tsx'

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
        className={MAP}
      />
      <TrackStrip track={track} selectedId={selected.photoId} onSelect={choose} />
      {track.length < flight.photoCount && (
        <p className="text-sm text-muted">
          The track shows {countOf(track.length, 'photo')} of {countOf(flight.photoCount, 'photo')}.
        </p>
      )}
      <ChosenPhoto point={selected} flightId={flight.id} />
    </section>
  )
}

function toCamera({ latitude, longitude, width, height, projection, ...point }: TrackPoint): CameraPhoto {
  const drone = {
    RelativeAltitude: point.relativeAltitude ?? undefined,
    GimbalYawDegree: point.yaw ?? undefined,
    GimbalPitchDegree: point.pitch ?? undefined,
    GimbalRollDegree: point.roll ?? undefined,
  }
  return {
    ...{ latitude: String(latitude), longitude: String(longitude), width, height, projection },
    metadata: { Model: point.model ?? undefined, FocalLength: point.focalLength ?? undefined, drone },
  }
}

/** What is known of the chosen photo, and the way to it. */
function ChosenPhoto({ point, flightId }: { point: TrackPoint; flightId: number }) {
  const { units } = useSettings()
  const { photoId, title, at, relativeAltitude, yaw } = point
  const facts = [
    exactTimeOf(at),
    relativeAltitude === null ? 'No height in this photo' : heightOf(relativeAltitude, units),
    yaw === null ? 'No heading in this photo' : `Heading ${formatHeading(yaw)}`,
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
