import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import { type Filters, readFilters, writeFilters } from './filters.ts'

/** The filters of the URL and a function that changes some of them. Back undoes a choice, but not typing. */
export function useFilters() {
  const [search, setSearch] = useSearchParams()
  const text = search.toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(text)), [text])
  const change = useCallback(
    (some: Partial<Filters>) =>
      setSearch((now) => writeFilters(now, { ...readFilters(now), ...some }), {
        replace: 'q' in some,
        preventScrollReset: true,
      }),
    [setSearch],
  )
  return { filters, change }
}
