import { useQuery } from '@tanstack/react-query'
import { LocateFixed, Plane, SquareDashed, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { camerasQuery, foldersQuery, placesQuery } from '../../api/queries.ts'
import { Field, Select } from '../../components/ui/field.tsx'
import { formatNumber, formatPlace } from '../../lib/format.ts'
import { formatCircle, parseCircle } from '../../lib/geography.ts'
import type { PhotoView } from '../grid/photo-layout.ts'
import { SORT_LABELS } from '../settings.ts'
import type { FilterName, Filters } from './filters.ts'

interface FilterControls {
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
}

/** Filters, order and view of a list, and what changes them. */
export interface ListControls extends FilterControls {
  /** Offers the filter by folder. */
  byFolder: boolean
  /** The number of matches; null until it is known. */
  amount: string | null
  /** Null: the map is shown, which has no views. */
  view: PhotoView | null
  onView: (view: PhotoView) => void
}

type Option = [value: string, label: string]

/** What is chosen from a list: a filter, or the order. */
interface ListChoice {
  name: keyof Filters
  label: string
  /** The choice that filters nothing. */
  all?: string
  useOptions: () => Option[]
  /** Names a value of the URL that is no option: it was deleted, or the options are being read. */
  labelOf?: (value: string) => string
}

const CHOICES: readonly ListChoice[] = [
  { name: 'location', label: 'Location', all: 'All locations', useOptions: usePlaces },
  { name: 'camera', label: 'Camera', all: 'All cameras', useOptions: useCameras },
  { name: 'folder', label: 'Folder', all: 'All folders', useOptions: useFolders, labelOf: (id) => `Folder ${id}` },
  { name: 'from', label: 'Date', all: 'Any date', useOptions: () => DATES },
  { name: 'sort', label: 'Sort', useOptions: () => SORTS },
]

const DATES: Option[] = [
  ['today', 'Today'],
  ['week', 'Last 7 days'],
  ['month', 'Last 30 days'],
  ['year', 'Last 365 days'],
]

const SORTS: Option[] = Object.entries(SORT_LABELS)

function usePlaces(): Option[] {
  const places = useQuery(placesQuery).data ?? []
  return places.flatMap((place): Option[] => {
    const name = formatPlace(place)
    return name === null ? [] : [[name, `${name} (${formatNumber(place.count)})`]]
  })
}

function useCameras(): Option[] {
  const cameras = useQuery(camerasQuery).data ?? []
  return cameras.map(({ model, count }) => [model, `${model} (${formatNumber(count)})`])
}

function useFolders(): Option[] {
  const folders = useQuery(foldersQuery).data ?? []
  return [
    ['none', 'Without folder'],
    ...folders.map(({ id, name, photoCount }): Option => [String(id), `${name} (${formatNumber(photoCount)})`]),
  ]
}

interface FilterFieldsProps extends FilterControls {
  byFolder: boolean
  /** Beside each other, where there is no room for labels. */
  inRow?: boolean
}

/** What is chosen from lists, each as a field. */
export function FilterFields({ byFolder, inRow, ...controls }: FilterFieldsProps) {
  return CHOICES.filter(({ name }) => byFolder || name !== 'folder').map((choice) => {
    const { name, label } = choice
    const field = { choice, ...controls }
    return inRow ? (
      <ListSelect key={name} {...field} aria-label={label} className="max-w-58 min-w-0 flex-1" />
    ) : (
      <Field key={name} label={label}>
        {({ id }) => <ListSelect {...field} id={id} />}
      </Field>
    )
  })
}

interface ListSelectProps extends FilterControls {
  choice: ListChoice
  id?: string
  'aria-label'?: string
  className?: string
}

function ListSelect({ choice, filters, onFilter, ...props }: ListSelectProps) {
  const { name, all, useOptions, labelOf = String } = choice
  const value = filters[name]
  const options = useOptions()
  const isOption = value === '' || options.some(([option]) => option === value)
  return (
    <Select {...props} value={value} onChange={(event) => onFilter({ [name]: event.target.value })}>
      {all && <option value="">{all}</option>}
      {!isOption && <option value={value}>{labelOf(value)}</option>}
      {options.map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </Select>
  )
}

/** A filter that the map or a flight sets. */
interface PlaceFilter {
  name: FilterName
  /** What it filters by. */
  by: string
  icon: ReactNode
  Text: (controls: FilterControls) => ReactNode
}

const PLACE_FILTERS: readonly PlaceFilter[] = [
  { name: 'area', by: 'area', icon: <SquareDashed />, Text: () => 'In an area of the map' },
  { name: 'near', by: 'distance', icon: <LocateFixed />, Text: Distance },
  { name: 'flight', by: 'flight', icon: <Plane />, Text: () => 'Of one flight' },
]

/** The filters in use that the map and the flights have set, each with a button that removes it. */
export function PlaceFilters({ filters, onFilter }: FilterControls) {
  const used = PLACE_FILTERS.filter(({ name }) => filters[name] !== '')
  if (used.length === 0) return null
  return (
    <ul aria-label="Filters by place" className="mb-3 flex flex-wrap gap-2">
      {used.map(({ name, by, icon, Text }) => (
        <li
          key={name}
          className="flex min-h-11 max-w-full items-center gap-2 rounded-md bg-accent-soft pl-3 text-sm [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-accent"
        >
          {icon}
          <Text filters={filters} onFilter={onFilter} />
          <button
            type="button"
            aria-label={`Remove the filter by ${by}`}
            title={`Remove the filter by ${by}`}
            onClick={() => onFilter({ [name]: '' })}
            className="grid size-11 shrink-0 place-items-center rounded-md text-muted hover:text-text sm:size-9 [&>svg]:size-4"
          >
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Around a place, in metres. */
const DISTANCES = [100, 500, 2000, 10_000]

function Distance({ filters, onFilter }: FilterControls) {
  const circle = parseCircle(filters.near)
  if (!circle) return null
  const distances = [...new Set([...DISTANCES, circle.metres])].sort((a, b) => a - b)
  return (
    <>
      <Select
        aria-label="Distance"
        value={circle.metres}
        onChange={(event) => onFilter({ near: formatCircle({ ...circle, metres: Number(event.target.value) }) })}
        className="h-9 w-auto min-w-24"
      >
        {distances.map((metres) => (
          <option key={metres} value={metres}>
            {metres < 1000 ? `${metres} m` : `${metres / 1000} km`}
          </option>
        ))}
      </Select>
      <span>{`around ${circle.latitude}, ${circle.longitude}`}</span>
    </>
  )
}
