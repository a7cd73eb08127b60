import { FlightsScreen } from '../features/flights/flights-screen.tsx'
import { usePageTitle } from '../lib/routing.ts'

export default function FlightsPage() {
  usePageTitle('Flights')
  return (
    <div className="gutters mx-auto max-w-[1320px] pt-5">
      <FlightsScreen />
    </div>
  )
}
