import {
  type FolderPhotoList,
  type GalleryList,
  NO_FILTER,
  type PhotoList,
  type PhotoSort,
} from '../../api/photo-lists.ts'
import { parseId } from '../../lib/parse-id.ts'
import { formatArea, formatCircle, parseArea, parseCircle } from '../../map/area.ts'
import { parseSort } from '../sorts.ts'

/** How far back a date filter reaches, in days before today. */
const DAYS = { today: 0, week: 7, month: 30, year: 365 }

export type DateFilter = keyof typeof DAYS
export type FolderFilter = GalleryList['folder']

/** What a list of photos shows and in which order. It is stored in the URL. Empty texts and null filter nothing. */
export interface Filters {
  q: string
  /** 'city, state', or the one that is known. */
  location: string
  from: DateFilter | null
  /** Of the gallery: photos of one folder, or without any. */
  folder: FolderFilter
  /** Photos within 'west,south,east,north', in degrees. */
  area: string
  /** Photos within a circle: 'latitude,longitude,metres'. */
  near: string
  /** Photos of the flight with this id. */
  flight: string
  sort: PhotoSort
}

export const NO_FILTERS = {
  q: '',
  location: '',
  from: null,
  folder: null,
  area: '',
  near: '',
  flight: '',
} as const satisfies Partial<Filters>

/** The filters that the server accepts for changing all matching photos. */
export interface ServerFilter {
  q?: string
  location?: string
  /** ISO 8601: only photos since then. */
  from?: string
  /** The id of a folder, or `none`. */
  folder?: string
  area?: string
  near?: string
  flight?: string
}

export const MAX_SEARCH_LENGTH = 100

/** Reads the filters from a URL and ignores invalid values. Without a sort in the URL it is the user's default. */
export function readFilters(search: URLSearchParams, defaultSort: PhotoSort): Filters {
  const from = search.get('from') ?? ''
  return {
    q: (search.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
    location: (search.get('location') ?? '').trim(),
    from: Object.hasOwn(DAYS, from) ? (from as DateFilter) : null,
    folder: parseFolder(search.get('in') ?? ''),
    area: formatArea(parseArea(search.get('area'))),
    near: formatCircle(parseCircle(search.get('near'))),
    flight: String(parseId(search.get('flight') ?? '') ?? ''),
    sort: parseSort(search.get('sort')) ?? defaultSort,
  }
}

/** Reads a choice of folders: an id, or `none`. Anything else is null. */
export function parseFolder(value: string): FolderFilter {
  if (value === 'none') return value
  return parseId(value)
}

/** The URL with these filters; its other parameters are kept. The default sort is not written. */
export function writeFilters(search: URLSearchParams, filters: Filters, defaultSort: PhotoSort): URLSearchParams {
  const result = new URLSearchParams(search)
  const { q, location, from, folder, area, near, flight, sort } = filters
  const parts = {
    q: q.trim(),
    location,
    area,
    near,
    flight,
    from: from ?? '',
    // `folder` in the URL is the one that an upload goes to.
    in: String(folder ?? ''),
    sort: sort === defaultSort ? '' : sort,
  }
  for (const [name, value] of Object.entries(parts)) {
    if (value === '') result.delete(name)
    else result.set(name, value)
  }
  return result
}

/** The number of filters in use beside the search. */
export function countFilters({ location, from, folder, area, near, flight }: Filters): number {
  const isUsed = [location !== '', from !== null, folder !== null, area !== '', near !== '', flight !== '']
  return isUsed.filter(Boolean).length
}

/** True when the filters may hide photos; sorting hides none. */
export function isFiltered(filters: Filters): boolean {
  return filters.q !== '' || countFilters(filters) > 0
}

/** The start of the first day of the range, in this browser's time zone. */
function startOfRange(from: DateFilter, now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS[from]).toISOString()
}

/** The filters as the server accepts them. Days are those of this browser's time zone. */
export function serverFilter(filters: Filters, now = new Date()): ServerFilter {
  const { q, location, from, folder, area, near, flight } = filters
  return {
    ...(q && { q }),
    ...(location && { location }),
    ...(area && { area }),
    ...(near && { near }),
    ...(flight && { flight }),
    ...(from && { from: startOfRange(from, now) }),
    ...(folder !== null && { folder: String(folder) }),
  }
}

/** The photos of one folder, or of the gallery. */
export type PhotoSource = { kind: 'gallery' } | { kind: 'folder'; folderId: number }

/** The list on the server for these filters. The photos of a folder are not filtered by folder. */
export function listOf(filters: Filters, now?: Date): GalleryList
export function listOf(filters: Filters, now: Date | undefined, source: PhotoSource): PhotoList
export function listOf(filters: Filters, now = new Date(), source: PhotoSource = { kind: 'gallery' }): PhotoList {
  const { folder: _, ...used } = serverFilter(filters, now)
  const listing = { sort: filters.sort, ...NO_FILTER, ...used }
  if (source.kind === 'gallery') return { kind: 'gallery', folder: filters.folder, ...listing }
  return { kind: 'folder', folderId: source.folderId, ...listing } satisfies FolderPhotoList
}

/** All photos of the user. */
export function allPhotos(sort: PhotoSort): GalleryList {
  return listOf(readFilters(new URLSearchParams(), sort))
}
