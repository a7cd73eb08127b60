import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { flightsQuery } from '../../api/flights.ts'
import { Button } from '../../components/ui/button.tsx'
import { FLIGHT_GRID, FlightCard } from './flight-card.tsx'

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
        <Button asChild variant="quiet" size="small">
          <Link to="/flights">All flights</Link>
        </Button>
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
