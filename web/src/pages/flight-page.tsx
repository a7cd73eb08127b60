import { useParams } from 'react-router-dom'
import { FlightNotFound, FlightScreen } from '../features/flights/flight-screen.tsx'

/** One flight. */
export default function FlightPage() {
  const { id = '' } = useParams()
  const flightId = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : null
  return (
    <div className="gutters mx-auto max-w-[1180px] pt-5">
      {flightId === null ? <FlightNotFound /> : <FlightScreen key={flightId} id={flightId} />}
    </div>
  )
}
