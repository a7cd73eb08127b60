import type { GalleryList } from '../../api/photo-lists.ts'

/** How far back a date filter reaches, in days before today. */
const DAYS = { today: 0, week: 7, month: 30, year: 365 }

export type DateFilter = keyof typeof DAYS
export type Sort = 'newest' | 'oldest'

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

/** Reads the filters from a URL and ignores invalid values. */
export function readFilters(search: URLSearchParams): Filters {
  const from = search.get('from') ?? ''
  return {
    q: (search.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
    location: (search.get('location') ?? '').trim(),
    from: Object.hasOwn(DAYS, from) ? (from as DateFilter) : null,
    sort: search.get('sort') === 'oldest' ? 'oldest' : 'newest',
  }
}

/** The URL with these filters; its other parameters are kept. */
export function writeFilters(search: URLSearchParams, { q, location, from, sort }: Filters): URLSearchParams {
  const result = new URLSearchParams(search)
  const parts = { q: q.trim(), location, from: from ?? '', sort: sort === 'newest' ? '' : sort }
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

/** All photos of the user, newest first. */
export const ALL_PHOTOS = listOf(readFilters(new URLSearchParams()))
