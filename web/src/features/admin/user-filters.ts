import type { UserFilters } from '../../api/admin.ts'
import { MAX_SEARCH_LENGTH } from './search-field.tsx'

const ROLES = ['all', 'admin', 'user'] as const
const SORTS = ['newest', 'oldest'] as const
/** What the list shows without a choice. */
const DEFAULTS: UserFilters = { q: '', role: 'all', sort: 'newest' }

/** Reads the filters from a URL and ignores invalid values. */
export function readUserFilters(search: URLSearchParams): UserFilters {
  return {
    q: readSearch(search),
    role: ROLES.find((role) => role === search.get('role')) ?? DEFAULTS.role,
    sort: SORTS.find((sort) => sort === search.get('sort')) ?? DEFAULTS.sort,
  }
}

/** The search text of a URL. */
export function readSearch(search: URLSearchParams): string {
  return (search.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH)
}

/** The URL with these filters; its other parameters are kept. What is the default is not written. */
export function writeUserFilters(search: URLSearchParams, filters: UserFilters): URLSearchParams {
  const result = new URLSearchParams(search)
  for (const name of ['q', 'role', 'sort'] as const) {
    if (filters[name] === DEFAULTS[name]) result.delete(name)
    else result.set(name, filters[name])
  }
  return result
}

/** True when the filters may hide users; sorting hides none. */
export function isFiltered({ q, role }: UserFilters): boolean {
  return q !== '' || role !== DEFAULTS.role
}
