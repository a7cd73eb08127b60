import { LocateFixed, Plane, SquareDashed, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Select } from '../../components/ui/field.tsx'
import { formatCircle, parseCircle } from '../../map/area.ts'
import type { Filters } from './filters.ts'

/** Around a place, in metres. */
const DISTANCES = [100, 500, 2000, 10_000]

interface PlaceFiltersProps {
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
}

/** The filters in use that the map and the flights have set, each with a button that removes it. */
export function PlaceFilters({ filters, onFilter }: PlaceFiltersProps) {
  const circle = parseCircle(filters.near)
  if (filters.area === '' && !circle && filters.flight === '') return null
  return (
    <ul aria-label="Filters by place" className="mb-3 flex flex-wrap gap-2">
      {filters.area !== '' && (
        <Chip icon={<SquareDashed />} remove="Remove the filter by area" onRemove={() => onFilter({ area: '' })}>
          In an area of the map
        </Chip>
      )}
      {circle && (
        <Chip icon={<LocateFixed />} remove="Remove the filter by distance" onRemove={() => onFilter({ near: '' })}>
          <Select
            aria-label="Distance"
            value={circle.metres}
            onChange={(event) => onFilter({ near: formatCircle({ ...circle, metres: Number(event.target.value) }) })}
            className="h-9 w-auto min-w-24"
          >
            {[...new Set([...DISTANCES, circle.metres])]
              .sort((a, b) => a - b)
              .map((metres) => (
                <option key={metres} value={metres}>
                  {metres < 1000 ? `${metres} m` : `${metres / 1000} km`}
                </option>
              ))}
          </Select>
          around {circle.latitude}, {circle.longitude}
        </Chip>
      )}
      {filters.flight !== '' && (
        <Chip icon={<Plane />} remove="Remove the filter by flight" onRemove={() => onFilter({ flight: '' })}>
          Of one flight
        </Chip>
      )}
    </ul>
  )
}

interface ChipProps {
  icon: ReactNode
  /** The name of its button. */
  remove: string
  onRemove: () => void
  children: ReactNode
}

function Chip({ icon, remove, onRemove, children }: ChipProps) {
  return (
    <li className="flex min-h-11 max-w-full items-center gap-2 rounded-md bg-accent-soft pl-3 text-sm [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-accent">
      {icon}
      {children}
      <button
        type="button"
        aria-label={remove}
        title={remove}
        onClick={onRemove}
        className="grid size-11 shrink-0 place-items-center rounded-md text-muted hover:text-text sm:size-9 [&>svg]:size-4"
      >
        <X aria-hidden />
      </button>
    </li>
  )
}
