import { useQuery } from '@tanstack/react-query'
import { CalendarDays, LocateFixed, Plane, SquareDashed, X } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useState } from 'react'
import { camerasQuery, foldersQuery, placesQuery } from '../../api/queries.ts'
import { Field, Input, Select } from '../../components/ui/field.tsx'
import { formatDay, formatNumber, formatPlace } from '../../lib/format.ts'
import { formatCircle, parseCircle } from '../../lib/geography.ts'
import type { PhotoView } from '../grid/photo-layout.ts'
import { SORT_LABELS } from '../settings.ts'
import {
  type DayRange,
  type FilterName,
  type Filters,
  folderOf,
  formatDays,
  hasOwnOrder,
  isDay,
  parseDays,
} from './filters.ts'

interface FilterControls {
  filters: Filters
  onFilter: (some: Partial<Filters>) => void
}

/** Filters, order and view of a list, and what changes them. */
export interface ListControls extends FilterControls {
  /** Whose photos they are; null: the gallery's, which can be filtered by folder. */
  folderId: number | null
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
  /** For the photos of a folder: its id, `none`, or empty for all. */
  useOptions: (folder: string) => Option[]
  /** Names a value of the URL that is no option: it was deleted, or the options are being read. */
  labelOf?: (value: string) => string
}

const CHOICES: readonly ListChoice[] = [
  { name: 'location', label: 'Location', all: 'All locations', useOptions: usePlaces },
  { name: 'camera', label: 'Camera', all: 'All cameras', useOptions: useCameras },
  { name: 'folder', label: 'Folder', all: 'All folders', useOptions: useFolders, labelOf: (id) => `Folder ${id}` },
  { name: 'from', label: 'Uploaded', all: 'Uploaded any time', useOptions: () => UPLOADED },
  {
    name: 'taken',
    label: 'Taken',
    all: 'Taken any time',
    useOptions: takenRanges,
    labelOf: (days) => `Taken ${describeDays(days)}`,
  },
  {
    name: 'sort',
    label: 'Sort',
    useOptions: (folder) => (hasOwnOrder(folder) ? [...SORTS, ['own', 'By hand']] : SORTS),
    labelOf: () => SORT_LABELS.newest,
  },
]

const UPLOADED: Option[] = [
  ['today', 'Uploaded today'],
  ['week', 'Uploaded in the last 7 days'],
  ['month', 'Uploaded in the last 30 days'],
  ['year', 'Uploaded in the last 365 days'],
]

/** Ranges to begin with: the days of the one in use can be changed above the photos. */
function takenRanges(): Option[] {
  const now = new Date()
  const year = now.getFullYear()
  const [today, monthAgo, yearAgo] = [
    now,
    new Date(year, now.getMonth() - 1, now.getDate()),
    new Date(year - 1, now.getMonth(), now.getDate()),
  ].map(dayOf)
  return [
    [`${monthAgo}/${today}`, 'Taken in the last month'],
    [`${year}-01-01/${year}-12-31`, 'Taken this year'],
    [`${year - 1}-01-01/${year - 1}-12-31`, 'Taken last year'],
    [`${yearAgo}/${today}`, 'Taken between two days…'],
  ]
}

/** The day in this browser's time zone. */
function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

/** 'Mar 4, 2026 to Mar 15, 2026', 'since Mar 4, 2026'. */
function describeDays(text: string): string {
  const { first, last } = parseDays(text)
  if (first === '') return `until ${formatDay(last)}`
  return last === '' ? `since ${formatDay(first)}` : `${formatDay(first)} to ${formatDay(last)}`
}

const SORTS: Option[] = Object.entries(SORT_LABELS)

function usePlaces(folder: string): Option[] {
  const places = useQuery(placesQuery(folder)).data ?? []
  return places.flatMap((place): Option[] => {
    const name = formatPlace(place)
    return name === null ? [] : [[name, `${name} (${formatNumber(place.count)})`]]
  })
}

function useCameras(folder: string): Option[] {
  const cameras = useQuery(camerasQuery(folder)).data ?? []
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
  folderId: number | null
  /** Beside each other, where there is no room for labels. */
  inRow?: boolean
}

/** What is chosen from lists, each as a field. */
export function FilterFields({ folderId, inRow, ...controls }: FilterFieldsProps) {
  const folder = folderOf(controls.filters, folderId)
  return CHOICES.filter(({ name }) => folderId === null || name !== 'folder').map((choice) => {
    const { name, label } = choice
    const field = { choice, folder, ...controls }
    return inRow ? (
      <ListSelect key={name} {...field} aria-label={label} className="min-w-0" />
    ) : (
      <Field key={name} label={label}>
        {({ id }) => <ListSelect {...field} id={id} />}
      </Field>
    )
  })
}

interface ListSelectProps extends FilterControls {
  choice: ListChoice
  folder: string
  id?: string
  'aria-label'?: string
  className?: string
}

function ListSelect({ choice, folder, filters, onFilter, ...props }: ListSelectProps) {
  const { name, all, useOptions, labelOf = String } = choice
  const value = filters[name]
  const options = useOptions(folder)
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

/** A filter in use that is shown above the photos. */
interface FilterMark {
  name: FilterName
  /** What it filters by. */
  by: string
  icon: ReactNode
  Content: (controls: FilterControls) => ReactNode
}

const MARKS: readonly FilterMark[] = [
  { name: 'taken', by: 'date taken', icon: <CalendarDays />, Content: Days },
  { name: 'area', by: 'area', icon: <SquareDashed />, Content: () => 'In an area of the map' },
  { name: 'near', by: 'distance', icon: <LocateFixed />, Content: Distance },
  { name: 'flight', by: 'flight', icon: <Plane />, Content: () => 'Of one flight' },
]

/** The filters in use that no field says, or not all of, each with a button that removes it. */
export function FilterMarks({ filters, onFilter }: FilterControls) {
  const used = MARKS.filter(({ name }) => filters[name] !== '')
  if (used.length === 0) return null
  return (
    <ul aria-label="Filters in use" className="mb-3 flex flex-wrap gap-2">
      {used.map(({ name, by, icon, Content }) => (
        <li
          key={name}
          className="flex min-h-11 max-w-full items-center gap-2 rounded-md bg-accent-soft pl-3 text-sm [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-accent"
        >
          {icon}
          <Content filters={filters} onFilter={onFilter} />
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

/** The first and the last day, which may be changed or emptied. */
function Days({ filters, onFilter }: FilterControls) {
  const days = parseDays(filters.taken)
  const change = (some: Partial<DayRange>) => onFilter({ taken: formatDays({ ...days, ...some }) })
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span>Taken from</span>
      <DayInput label="First day" value={days.first} max={days.last} onChange={(first) => change({ first })} />
      <span>to</span>
      <DayInput label="Last day" value={days.last} min={days.first} onChange={(last) => change({ last })} />
    </span>
  )
}

interface DayInputProps {
  label: string
  value: string
  min?: string
  max?: string
  onChange: (day: string) => void
}

/** Changes with every complete day, but not while one is typed. */
function DayInput({ label, value, onChange, ...limits }: DayInputProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setText(value)
  }

  function change({ target }: ChangeEvent<HTMLInputElement>): void {
    setText(target.value)
    if (isDay(target.value) || (target.value === '' && !target.validity.badInput)) onChange(target.value)
  }

  return <Input type="date" aria-label={label} value={text} {...limits} onChange={change} className="w-38" />
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
