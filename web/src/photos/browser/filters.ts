import type { ListSort, PhotoList, PhotoSort } from '../../api/photo-lists.ts'
import type { PhotoFilter } from '../../api/types.ts'
import { formatArea, formatCircle, parseArea, parseCircle } from '../../lib/geography.ts'
import { parseId } from '../../lib/parse-id.ts'
import { parseSort } from '../settings.ts'

export const MAX_SEARCH_LENGTH = 100
/** The server rejects longer ones. */
const MAX_PLACE_LENGTH = 250
const MAX_CAMERA_LENGTH = 200
/** How far back a date filter reaches, in days before today. */
const DAYS: Record<string, number> = { today: 0, week: 7, month: 30, year: 365 }

interface FilterRule {
  /** Reads a text of the URL; an empty one filters nothing. */
  parse: (text: string) => string
  /** Its parameter in the URL, if that has another name. */
  parameter?: string
  /** What the server gets, if that is not the text under the same name. */
  forServer?: (text: string, now: Date) => PhotoFilter
}

/** The filters of a list of photos, by the server's names for them. How they are chosen is in filter-fields.tsx. */
const FILTERS = {
  q: { parse: (text) => text.trim().slice(0, MAX_SEARCH_LENGTH) },
  /** 'city, state', or the one that is known. */
  location: { parse: (text) => text.trim().slice(0, MAX_PLACE_LENGTH) },
  /** The model, as the metadata has it. */
  camera: { parse: (text) => text.trim().slice(0, MAX_CAMERA_LENGTH) },
  /** By the upload. */
  from: { parse: (text) => (Object.hasOwn(DAYS, text) ? text : ''), forServer: uploadedSince },
  /** By the date taken: 'first day/last day', like an interval of ISO 8601; one of them may be missing. */
  taken: { parse: (text) => formatDays(parseDays(text)), forServer: takenBetween },
  /** Of the gallery: photos of one folder, or `none`. In the URL, `folder` is the one that an upload goes to. */
  folder: { parse: (text) => (text === 'none' ? text : parseIdText(text)), parameter: 'in' },
  /** Photos within 'west,south,east,north', in degrees. */
  area: { parse: (text) => formatArea(parseArea(text)) },
  /** Photos within a circle: 'latitude,longitude,metres'. */
  near: { parse: (text) => formatCircle(parseCircle(text)) },
  /** Photos of the flight with this id. */
  flight: { parse: parseIdText },
} satisfies Record<string, FilterRule>

export type FilterName = keyof typeof FILTERS

/** What a list of photos shows and in which order. It is stored in the URL. Empty texts filter nothing. */
export type Filters = Record<FilterName, string> & { sort: ListSort }

const RULES = Object.entries(FILTERS) as [FilterName, FilterRule][]

export const NO_FILTERS = filtersOf(() => '')

function filtersOf(textOf: (name: FilterName, rule: FilterRule) => string): Record<FilterName, string> {
  const values = RULES.map(([name, rule]) => [name, textOf(name, rule)])
  return Object.fromEntries(values)
}

function parseIdText(text: string): string {
  return String(parseId(text) ?? '')
}

/** From the start of the first day of the range, in this browser's time zone. */
function uploadedSince(from: string, now: Date): PhotoFilter {
  return { from: new Date(now.getFullYear(), now.getMonth(), now.getDate() - (DAYS[from] ?? 0)).toISOString() }
}

/** A range of days like '2026-11-28', both included; an empty text is no limit. */
export interface DayRange {
  first: string
  last: string
}

/** What is no day is no limit. The first one may be later than the last while the second is typed. */
export function parseDays(text: string): DayRange {
  const [first = '', last = ''] = text.split('/').map((day) => (isDay(day) ? day : ''))
  return { first, last }
}

/** A day of the time of cameras: while a year is typed it has fewer digits. */
export function isDay(text: string): boolean {
  return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

export function formatDays({ first, last }: DayRange): string {
  return first === '' && last === '' ? '' : `${first}/${last}`
}

function takenBetween(text: string): PhotoFilter {
  const { first, last } = parseDays(text)
  const [from, to] = first && last ? [first, last].sort() : [first, last]
  return { ...(from && { takenFrom: from }), ...(to && { takenTo: to }) }
}

function readSort(text: string | null): ListSort | null {
  return text === 'own' ? text : parseSort(text)
}

/** Whether photos are those of one folder, which has an order of its owner's; `folder` as from `folderOf`. */
export function hasOwnOrder(folder: string): boolean {
  return folder !== '' && folder !== 'none'
}

/** Reads the filters from a URL and ignores invalid values. Without a sort in the URL it is the user's default. */
export function readFilters(search: URLSearchParams, defaultSort: PhotoSort): Filters {
  const values = filtersOf((name, { parameter = name, parse }) => parse(search.get(parameter) ?? ''))
  return { ...values, sort: readSort(search.get('sort')) ?? defaultSort }
}

/** The URL with these filters; its other parameters are kept. The default sort is not written. */
export function writeFilters(search: URLSearchParams, filters: Filters, defaultSort: PhotoSort): URLSearchParams {
  const result = new URLSearchParams(search)
  const set = (name: string, value: string) => (value === '' ? result.delete(name) : result.set(name, value))
  for (const [name, { parameter = name }] of RULES) set(parameter, filters[name].trim())
  set('sort', filters.sort === defaultSort ? '' : filters.sort)
  return result
}

/** The number of filters in use beside the search. */
export function countFilters(filters: Filters): number {
  return RULES.filter(([name]) => name !== 'q' && filters[name] !== '').length
}

/** True when the filters may hide photos; sorting hides none. */
export function isFiltered(filters: Filters): boolean {
  return filters.q !== '' || countFilters(filters) > 0
}

/** The filters as the server accepts them. Days are those of this browser's time zone. */
export function serverFilter(filters: Filters, now = new Date()): PhotoFilter {
  const used = RULES.filter(([name]) => filters[name] !== '')
  const parts = used.map(([name, { forServer }]) => forServer?.(filters[name], now) ?? { [name]: filters[name] })
  return Object.assign({}, ...parts)
}

/** The folder whose photos are shown, as a filter: that of a folder's screen, or the chosen one. */
export function folderOf({ folder }: Filters, folderId: number | null): string {
  return folderId === null ? folder : String(folderId)
}

/** The list on the server for these filters. The photos of a folder are not filtered by folder. */
export function listOf(filters: Filters, folderId: number | null = null, now = new Date()): PhotoList {
  const { folder, ...others } = serverFilter(filters, now)
  const sort = filters.sort === 'own' && !hasOwnOrder(folderOf(filters, folderId)) ? 'newest' : filters.sort
  return { folderId, sort, filter: folderId === null && folder ? { ...others, folder } : others }
}

/** All photos of the user. */
export function allPhotos(sort: PhotoSort): PhotoList {
  return { folderId: null, sort, filter: {} }
}

/** Whether the URL asks for the map instead of the grid. */
export function isMapTab(search: URLSearchParams): boolean {
  return search.get('view') === 'map'
}

/** The parameters of the URL for the map or the grid; the filters are kept. */
export function withMapTab(search: URLSearchParams, isMap: boolean): URLSearchParams {
  const result = new URLSearchParams(search)
  if (isMap) result.set('view', 'map')
  else result.delete('view')
  return result
}
