import { useParams } from 'react-router-dom'
import { FlightNotFound, FlightScreen } from '../features/flights/flight-screen.tsx'
import { parseId } from '../lib/parse-id.ts'

export default function FlightPage() {
  const flightId = parseId(useParams().id)
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {flightId === null ? <FlightNotFound /> : <FlightScreen key={flightId} id={flightId} />}
    </div>
  )
}
