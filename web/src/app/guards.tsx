import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import type { SignInState } from '../lib/sign-in-state.ts'

/**
 * Admits only signed-in users; others go to /auth and return after signing in. A screen that is open when the session
 * ends stays open, so that no input is lost: its next request asks the user to log in.
 */
export function RequireUser() {
  const { data: user, isPending } = useQuery(userQuery)
  const { pathname, search } = useLocation()
  const entered = useRef<string | null>(null)

  if (isPending) return <ScreenSpinner />
  if (user) entered.current = pathname
  if (entered.current === pathname) return <Outlet />
  return <Navigate to="/auth" replace state={{ from: pathname + search } satisfies SignInState} />
}

/**
 * Admits only administrators; others go to the start page. A screen that is open when the rights are taken away stays
 * open: its next request is rejected, and the screen says so.
 */
export function RequireAdmin() {
  const { data: user, isPending } = useQuery(userQuery)
  const entered = useRef(false)

  if (isPending) return <ScreenSpinner />
  entered.current = Boolean(user) && (entered.current || user?.isAdmin === true)
  if (entered.current) return <Outlet />
  return <Navigate to="/" replace />
}
