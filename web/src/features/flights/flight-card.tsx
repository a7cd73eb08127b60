import { Link } from 'react-router-dom'
import type { Flight } from '../../api/types.ts'
import { PhotoCovers } from '../../photos/cards/photo-covers.tsx'
import { useSettings } from '../../photos/use-settings.ts'
import { dayOf, summaryOf, timeOf, titleOf } from './flight-texts.ts'

export const FLIGHT_GRID =
  'grid grid-cols-1 gap-x-5 gap-y-7 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 min-[1600px]:grid-cols-[repeat(auto-fill,minmax(260px,1fr))]'

/** A flight in a list: the card is a link to it. */
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
