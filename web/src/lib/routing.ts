import { useCallback, useEffect } from 'react'
import { type NavigateOptions, useSearchParams } from 'react-router-dom'

/** Sets the browser tab's title; without a title it is the product's name alone. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Skyfolio` : 'Skyfolio'
  }, [title])
}

/** Router state for the sign-in screen: the address to return to after signing in. */
export interface SignInState {
  from: string
}

/** Router state for the screen that asks for a link to set a new password. */
export interface ForgotPasswordState {
  /** What its field holds at first. */
  email: string
}

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
