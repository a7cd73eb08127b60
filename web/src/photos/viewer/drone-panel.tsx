import { Navigation2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Heading } from '../../map/heading.ts'
import { type Drone, formatDegrees, formatHeight, headingOf } from '../photo-facts.ts'
import { useSettings } from '../use-settings.ts'

/** The drone's flight data; nothing without any. */
export function DronePanel({ drone }: { drone: Drone | undefined }) {
  const { units } = useSettings()
  if (!drone) return null
  const { RelativeAltitude: height, GimbalPitchDegree: pitch } = drone
  const heading = headingOf(drone)
  if (height === undefined && pitch === undefined && !heading) return null
  return (
    <section aria-label="Drone" className="rounded-md bg-sunken px-4 py-3">
      <h3 className="text-sm font-semibold">Drone</h3>
      <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-3">
        {height !== undefined && <Reading label="Height above take-off">{formatHeight(height, units)}</Reading>}
        {pitch !== undefined && <Reading label="Gimbal pitch">{formatDegrees(pitch)}</Reading>}
        {heading && (
          <Reading label="Heading">
            <Compass heading={heading} />
            {heading.degrees}° {heading.point}
          </Reading>
        )}
      </dl>
    </section>
  )
}

function Reading({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-7 items-center gap-2 font-semibold">{children}</dd>
    </div>
  )
}

/** A dial with north at the top; the text beside it says the same. */
function Compass({ heading }: { heading: Heading }) {
  return (
    <span
      aria-hidden
      className="relative grid size-7 place-items-center rounded-full bg-surface inset-ring inset-ring-line"
    >
      <span className="absolute top-0 h-1.5 w-px bg-danger" />
      <Navigation2 className="size-4 fill-accent text-accent" style={{ transform: `rotate(${heading.degrees}deg)` }} />
    </span>
  )
}
