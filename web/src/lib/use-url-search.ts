import { useCallback } from 'react'
import { type NavigateOptions, useSearchParams } from 'react-router-dom'

/**
 * The parameters of the URL, and a function that changes them. A change begins with the parameters that the URL has at
 * that moment, not with those of the last render: two changes in a row do not overwrite each other.
 */
export function useUrlSearch() {
  const [search, setSearch] = useSearchParams()
  const change = useCallback(
    (next: (now: URLSearchParams) => URLSearchParams, options: Pick<NavigateOptions, 'replace'>) =>
      setSearch(next(new URLSearchParams(window.location.search)), { ...options, preventScrollReset: true }),
    [setSearch],
  )
  return [search, change] as const
}
