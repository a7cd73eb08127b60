import { useQuery } from '@tanstack/react-query'
import { foldersQuery, placesQuery } from '../../api/queries.ts'
import { Select } from '../../components/ui/field.tsx'
import { formatNumber, formatPlace } from '../../lib/format.ts'
import { SortSelect } from '../sort-select.tsx'
import { type DateFilter, type Filters, parseFolder } from './filters.ts'

interface FilterFieldProps {
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
  /** Of the select; without an `id` a label is set. */
  id?: string
  className?: string
}

type FieldFilter = Omit<FilterFieldProps, 'filters' | 'onFilter'>

const nameOf = (label: string, { id, className }: FieldFilter) => ({
  ...(id ? { id } : { 'aria-label': label }),
  className,
})

export function LocationField({ filters, onFilter, ...field }: FilterFieldProps) {
  const value = filters.location
  const places = useQuery(placesQuery).data ?? []
  const options = places.flatMap((place) => {
    const name = formatPlace(place)
    return name === null ? [] : [{ name, count: place.count }]
  })
  return (
    <Select
      {...nameOf('Location', field)}
      value={value}
      onChange={(event) => onFilter({ location: event.target.value })}
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

export function FolderField({ filters, onFilter, ...field }: FilterFieldProps) {
  const value = String(filters.folder ?? '')
  const folders = useQuery(foldersQuery).data ?? []
  const isKnown = value === '' || value === 'none' || folders.some(({ id }) => String(id) === value)
  return (
    <Select
      {...nameOf('Folder', field)}
      value={value}
      onChange={(event) => onFilter({ folder: parseFolder(event.target.value) })}
    >
      <option value="">All folders</option>
      <option value="none">Without folder</option>
      {/* A folder from the URL that was deleted, or the list is being read. */}
      {!isKnown && <option value={value}>Folder {value}</option>}
      {folders.map(({ id, name, photoCount }) => (
        <option key={id} value={id}>
          {name} ({formatNumber(photoCount)})
        </option>
      ))}
    </Select>
  )
}

export function DateField({ filters, onFilter, ...field }: FilterFieldProps) {
  return (
    <Select
      {...nameOf('Date', field)}
      value={filters.from ?? ''}
      onChange={(event) => onFilter({ from: (event.target.value as DateFilter) || null })}
    >
      <option value="">Any date</option>
      <option value="today">Today</option>
      <option value="week">Last 7 days</option>
      <option value="month">Last 30 days</option>
      <option value="year">Last 365 days</option>
    </Select>
  )
}

export function SortField({ filters, onFilter, ...field }: FilterFieldProps) {
  return <SortSelect {...nameOf('Sort', field)} value={filters.sort} onSort={(sort) => onFilter({ sort })} />
}
