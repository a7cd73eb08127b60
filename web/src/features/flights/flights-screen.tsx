import { useInfiniteQuery } from '@tanstack/react-query'
import { Plane } from 'lucide-react'
import { flightsQuery } from '../../api/flights.ts'
import { EmptyState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { BackLink, LinkButton } from '../../components/ui/link-button.tsx'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { FLIGHT_GRID, FlightCard } from './flight-card.tsx'

/** All flights of the user, newest first. */
export default function FlightsScreen() {
  usePageTitle('Flights')
  const first = useInfiniteQuery(flightsQuery).data?.pages[0]
  return (
    <div className="page pt-5">
      <header className="mb-5">
        <BackLink to="/">Photos</BackLink>
        <h1 className="text-2xl font-bold sm:text-3xl">Flights</h1>
        <div role="status" className="flex min-h-6 flex-wrap gap-x-3 text-muted">
          {first && first.total > 0 && <p>{countOf(first.total, 'flight')}</p>}
          {first?.isPending && <p>Photos are being grouped into flights</p>}
        </div>
      </header>
      <FlightList />
    </div>
  )
}

function FlightList() {
  const list = useInfiniteQuery(flightsQuery)
  if (list.isPending) return <FlightsSkeleton />
  if (!list.data) return <QueryFailure query={list} title="Flights could not be loaded" />
  const [first] = list.data.pages
  const flights = list.data.pages.flatMap(({ items }) => items)
  if (flights.length === 0 && first?.isPending) return <FlightsSkeleton />
  if (flights.length === 0) {
    return (
      <EmptyState
        icon={<Plane />}
        title="No flights yet"
        description="Photos with a date and a position are grouped into flights by themselves."
        action={<LinkButton to="/">See your photos</LinkButton>}
      />
    )
  }
  return (
    <>
      <h2 className="sr-only">All flights</h2>
      <ul className={FLIGHT_GRID}>
        {flights.map((flight) => (
          <li
            key={flight.id}
            className="-m-1 min-w-0 p-1 [contain-intrinsic-size:auto_290px] [content-visibility:auto]"
          >
            <FlightCard flight={flight} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <LoadMore
          what="flights"
          busy={list.isFetchingNextPage}
          failed={list.isFetchNextPageError}
          onLoad={() => !list.isFetching && void list.fetchNextPage()}
        />
      )}
    </>
  )
}

function FlightsSkeleton() {
  return (
    <div role="status" className={FLIGHT_GRID}>
      <span className="sr-only">Loading flights</span>
      {[1, 2, 3, 4].map((shape) => (
        <div key={shape} className="grid gap-2">
          <Skeleton className="aspect-3/2 rounded-lg" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-3.5 w-56 max-w-full" />
        </div>
      ))}
    </div>
  )
}
