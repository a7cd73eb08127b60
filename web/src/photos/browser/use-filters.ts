import { useCallback, useMemo } from 'react'
import type { PhotoSort } from '../../api/photo-lists.ts'
import { useUrlSearch } from '../../lib/routing.ts'
import { type Filters, readFilters, writeFilters } from './filters.ts'

/** The filters of the URL and a function that changes some of them. Back undoes a choice, but not typing. */
export function useFilters(defaultSort: PhotoSort) {
  const [search, setSearch] = useUrlSearch()
  const text = search.toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(text), defaultSort), [text, defaultSort])
  const change = useCallback(
    (some: Partial<Filters>) =>
      setSearch((now) => writeFilters(now, { ...readFilters(now, defaultSort), ...some }, defaultSort), {
        replace: 'q' in some,
      }),
    [setSearch, defaultSort],
  )
  return { filters, change }
}
