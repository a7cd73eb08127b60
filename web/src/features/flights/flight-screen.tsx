import { useQuery } from '@tanstack/react-query'
import { FolderPlus, Images, Plane, Route } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router-dom'
import { flightQuery, readPhotosAround } from '../../api/flights.ts'
import type { FlightDetails } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { BackLink, LinkButton } from '../../components/ui/link-button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { MenuItem } from '../../components/ui/menu.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { hasStatus, UNREACHABLE } from '../../lib/http.ts'
import { parseId } from '../../lib/parse-id.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { useTrackPlacing } from '../../photos/placing/place-by-track.tsx'
import { TrackMenu } from '../../photos/track-menu.tsx'
import { useSettings } from '../../photos/use-settings.ts'
import type { PictureFormat } from './export-pictures.ts'
import { dayOf, factsOf, folderNameOf, timeOf, titleOf } from './flight-texts.ts'
import { FlightTrack } from './flight-track.tsx'
import { MakeFolderDialog } from './make-folder-dialog.tsx'

const ExportDialog = lazyComponent(() => import('./export-dialog.tsx').then((code) => code.ExportDialog), {
  onFailure: ({ onClose }) => {
    toast({ title: 'The export could not be opened', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})

/** One flight: its facts, its track with the photos, and what can be made of it. */
export default function FlightScreen() {
  const id = parseId(useParams().id)
  return <div className="page pt-5">{id === null ? <FlightNotFound /> : <KnownFlight key={id} id={id} />}</div>
}

function KnownFlight({ id }: { id: number }) {
  const query = useQuery(flightQuery(id))
  usePageTitle(query.data ? titleOf(query.data.flight) : 'Flight')
  if (query.data) return <Flight flight={query.data.flight} isPending={query.data.isPending} />
  if (query.isPending) return <FlightSkeleton />
  if (hasStatus(query.error, 404)) return <FlightNotFound />
  return <QueryFailure query={query} heading="h1" title="The flight could not be loaded" />
}

function Flight({ flight, isPending }: { flight: FlightDetails; isPending: boolean }) {
  const { units } = useSettings()
  const [isNaming, setNaming] = useState(false)
  const [exporting, setExporting] = useState<PictureFormat | null>(null)
  const { startedAt, endedAt } = flight
  const byTrack = useTrackPlacing({
    count: flight.photoCount,
    amount: 'the photos of this flight',
    fewer: (
      <>
        {'Select some of them '}
        <Link
          to={`/?taken=${startedAt.slice(0, 10)}/${endedAt.slice(0, 10)}&sort=taken-oldest`}
          className="font-semibold text-accent hover:underline"
        >
          in the gallery
        </Link>
        , and drop the track there.
      </>
    ),
    read: () => readPhotosAround(flight),
  })
  return (
    <>
      <BackLink to="/flights">Flights</BackLink>
      <header className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-bold wrap-anywhere sm:text-3xl">{titleOf(flight)}</h1>
          <p className="text-muted">
            {`${dayOf(startedAt)}, ${timeOf(startedAt)}${endedAt === startedAt ? '' : ` to ${timeOf(endedAt)}`}`}
          </p>
          {isPending && (
            <p role="status" className="text-sm text-muted">
              Photos are being grouped into flights
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <LinkButton to={`/?flight=${flight.id}&sort=taken-oldest`}>
            <Images aria-hidden /> Show photos
          </LinkButton>
          <TrackMenu label="Export" filter={{ flight: String(flight.id) }} name={folderNameOf(flight)}>
            <MenuItem hint="Google Earth" onSelect={() => setExporting('kmz')}>
              KMZ with pictures
            </MenuItem>
            <MenuItem hint="Geographic information systems" onSelect={() => setExporting('world-files')}>
              JPEG with world files
            </MenuItem>
          </TrackMenu>
          <Button onClick={byTrack.open}>
            <Route aria-hidden /> Place with a GPX track…
          </Button>
          <Button variant="primary" onClick={() => setNaming(true)}>
            <FolderPlus aria-hidden /> Make a folder
          </Button>
        </div>
      </header>
      <dl className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {factsOf(flight, units).map(([label, value]) => (
          <div key={label} className="rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
      <FlightTrack flight={flight} />
      {byTrack.element}
      {exporting && <ExportDialog flight={flight} format={exporting} onClose={() => setExporting(null)} />}
      {isNaming && <MakeFolderDialog flight={flight} onClose={() => setNaming(false)} />}
    </>
  )
}

function FlightNotFound() {
  usePageTitle('Flight not found')
  return (
    <EmptyState
      heading="h1"
      icon={<Plane />}
      title="Flight not found"
      description="Its photos were deleted, or belong to other flights now."
      action={
        <LinkButton to="/flights" variant="primary">
          All flights
        </LinkButton>
      }
    />
  )
}

function FlightSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the flight</span>
      <Skeleton className="mt-9 h-8 w-72 max-w-full" />
      <Skeleton className="mt-2 mb-5 h-4 w-48" />
      <div className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {['Photos', 'Duration', 'Distance', 'Height'].map((fact) => (
          <Skeleton key={fact} className="h-17 rounded-lg" />
        ))}
      </div>
      <Skeleton className="h-[min(60vh,480px)] rounded-lg" />
    </div>
  )
}
