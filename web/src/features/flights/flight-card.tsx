import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { flightsQuery } from '../../api/flights.ts'
import type { Flight } from '../../api/types.ts'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { PhotoCovers } from '../../photos/cards/photo-covers.tsx'
import { useSettings } from '../../photos/use-settings.ts'
import { dayOf, summaryOf, timeOf, titleOf } from './flight-texts.ts'

export const FLIGHT_GRID =
  'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))]'

export function FlightCard({ flight }: { flight: Flight }) {
  const { units } = useSettings()
  const when = `${dayOf(flight.startedAt)} at ${timeOf(flight.startedAt)}`
  return (
    <article aria-label={`${titleOf(flight)}, ${when}`} className="relative min-w-0">
      <PhotoCovers covers={flight.covers} />
      <div className="pt-2 pl-0.5">
        <h3 className="truncate font-semibold tracking-normal">
          <Link
            to={`/flights/${flight.id}`}
            className="after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
          >
            {titleOf(flight)}
          </Link>
        </h3>
        <p className="text-sm text-muted">{when}</p>
        <p className="text-sm text-muted">{summaryOf(flight, units)}</p>
      </div>
    </article>
  )
}

/** A row of the widest window, and two of a narrower one. */
const SHOWN = 4

/** The user's newest flights, below the map of all photos. Nothing is shown without one: all flights have a screen that says why. */
export function NewestFlights() {
  const flights = useInfiniteQuery(flightsQuery).data?.pages[0]?.items ?? []
  if (flights.length === 0) return null
  return (
    <section aria-labelledby="newest-flights" className="mt-8">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 id="newest-flights" className="text-lg font-semibold">
          Newest flights
        </h2>
        <LinkButton to="/flights" variant="quiet" size="small">
          All flights
        </LinkButton>
      </div>
      <ul className={FLIGHT_GRID}>
        {flights.slice(0, SHOWN).map((flight) => (
          <li key={flight.id} className="min-w-0">
            <FlightCard flight={flight} />
          </li>
        ))}
      </ul>
    </section>
  )
}
