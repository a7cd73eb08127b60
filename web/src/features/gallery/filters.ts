import type { GalleryList } from '../../api/photo-lists.ts'
import type { AccountSettings } from '../../api/types.ts'

/** How far back a date filter reaches, in days before today. */
const DAYS = { today: 0, week: 7, month: 30, year: 365 }

export type DateFilter = keyof typeof DAYS
export type Sort = AccountSettings['sort']

/** What the gallery shows and in which order. It is stored in the URL. Empty texts and null filter nothing. */
export interface Filters {
  q: string
  /** 'city, state', or the one that is known. */
  location: string
  from: DateFilter | null
  sort: Sort
}

/** The filters that the server accepts for changing all matching photos. */
export interface ServerFilter {
  q?: string
  location?: string
  /** ISO 8601: only photos since then. */
  from?: string
}

export const MAX_SEARCH_LENGTH = 100

/** Reads the filters from a URL and ignores invalid values. Without a sort in the URL it is the user's default. */
export function readFilters(search: URLSearchParams, defaultSort: Sort): Filters {
  const from = search.get('from') ?? ''
  const sort = search.get('sort')
  return {
    q: (search.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
    location: (search.get('location') ?? '').trim(),
    from: Object.hasOwn(DAYS, from) ? (from as DateFilter) : null,
    sort: sort === 'oldest' || sort === 'newest' ? sort : defaultSort,
  }
}

/** The URL with these filters; its other parameters are kept. The default sort is not written. */
export function writeFilters(search: URLSearchParams, filters: Filters, defaultSort: Sort): URLSearchParams {
  const result = new URLSearchParams(search)
  const { q, location, from, sort } = filters
  const parts = { q: q.trim(), location, from: from ?? '', sort: sort === defaultSort ? '' : sort }
  for (const [name, value] of Object.entries(parts)) {
    if (value === '') result.delete(name)
    else result.set(name, value)
  }
  return result
}

/** True when the filters may hide photos; sorting hides none. */
export function isFiltered({ q, location, from }: Filters): boolean {
  return q !== '' || location !== '' || from !== null
}

/** The start of the first day of the range, in this browser's time zone. */
function startOfRange(from: DateFilter, now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS[from]).toISOString()
}

/** The filters as the server accepts them. Days are those of this browser's time zone. */
export function serverFilter({ q, location, from }: Filters, now = new Date()): ServerFilter {
  return { ...(q && { q }), ...(location && { location }), ...(from && { from: startOfRange(from, now) }) }
}

/** The list on the server for these filters. */
export function listOf(filters: Filters, now = new Date()): GalleryList {
  const { q = null, location = null, from = null } = serverFilter(filters, now)
  return { kind: 'gallery', sort: filters.sort, q, location, from }
}

/** All photos of the user. */
export function allPhotos(sort: Sort): GalleryList {
  return listOf(readFilters(new URLSearchParams(), sort))
}
