import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { placesQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Select } from '../../components/ui/field.tsx'
import { formatNumber, formatPlace } from '../../lib/format.ts'
import type { DateFilter, Filters, Sort } from './filters.ts'
import { SearchBox } from './search-box.tsx'
import { type View, ViewToggle } from './view-toggle.tsx'

interface ToolbarProps {
  search: RefObject<HTMLInputElement | null>
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
  /** The number of matches; null until it is known. */
  amount: string | null
  empty: boolean
  view: View
  onView: (view: View) => void
  selecting: boolean
  onSelecting: (on: boolean) => void
}

/** Filters, sorting and view of the gallery, and the switch to select mode. */
export function Toolbar(props: ToolbarProps) {
  const { search, filters, onFilter, amount, empty, view, onView, selecting, onSelecting } = props
  return (
    <div className="mb-5 flex flex-wrap items-center gap-2.5">
      <SearchBox input={search} value={filters.q} onSearch={(q) => onFilter({ q })} amount={amount} />
      <LocationSelect value={filters.location} onChange={(location) => onFilter({ location })} />
      <Select
        aria-label="Date"
        value={filters.from ?? ''}
        onChange={(event) => onFilter({ from: (event.target.value as DateFilter) || null })}
        className="min-w-32 flex-1 sm:flex-none"
      >
        <option value="">Any date</option>
        <option value="today">Today</option>
        <option value="week">Last 7 days</option>
        <option value="month">Last 30 days</option>
        <option value="year">Last 365 days</option>
      </Select>
      <Select
        aria-label="Sort"
        value={filters.sort}
        onChange={(event) => onFilter({ sort: event.target.value as Sort })}
        className="min-w-36 flex-1 sm:flex-none"
      >
        <option value="newest">Newest first</option>
        <option value="oldest">Oldest first</option>
      </Select>
      <ViewToggle value={view} onChange={onView} />
      <Button aria-pressed={selecting} disabled={!selecting && empty} onClick={() => onSelecting(!selecting)}>
        {selecting ? 'Done' : 'Select'}
      </Button>
    </div>
  )
}

function LocationSelect({ value, onChange }: { value: string; onChange: (location: string) => void }) {
  const places = useQuery(placesQuery).data ?? []
  const options = places.flatMap((place) => {
    const name = formatPlace(place)
    return name === null ? [] : [{ name, count: place.count }]
  })
  return (
    <Select
      aria-label="Location"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="w-44 min-w-36 flex-1 sm:flex-none"
    >
      <option value="">All locations</option>
      {/* A location from the URL that no photo has any more. */}
      {value !== '' && !options.some(({ name }) => name === value) && <option value={value}>{value}</option>}
      {options.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({formatNumber(count)})
        </option>
      ))}
    </Select>
  )
}
