import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import type { SignInState } from '../lib/routing.ts'

const DeletionScreen = lazy(() => import('./deletion-screen.tsx'))
const SessionEnded = lazy(() => import('./session-ended.tsx'))

/**
 * Admits only signed-in users; others go to /auth and return after signing in. While the account is being deleted, every
 * screen is replaced by the card that says so.
 */
export function RequireUser() {
  const { data: user, isPending } = useQuery(userQuery)
  const { pathname, search } = useLocation()
  const entered = useRef<{ pathname: string; userId: number } | null>(null)

  if (isPending) return <ScreenSpinner />
  if (user) entered.current = { pathname, userId: user.id }
  if (user?.deletesAt) return <DeletionScreen user={user} />
  if (entered.current?.pathname !== pathname)
    return <Navigate to="/auth" replace state={{ from: pathname + search } satisfies SignInState} />
  return <OwnScreen userId={entered.current.userId} hidden={!user} />
}

/**
 * Admits only administrators; others go to the start page. A screen that is open when the rights are taken away stays
 * open: its next request is rejected, and the screen says so.
 */
export function RequireAdmin() {
  const { data: user, isPending } = useQuery(userQuery)
  const entered = useRef<number | null>(null)

  if (isPending) return <ScreenSpinner />
  if (user?.deletesAt) return <DeletionScreen user={user} />
  if (user?.isAdmin) entered.current = user.id
  if (entered.current === null || (user && user.id !== entered.current)) return <Navigate to="/" replace />
  return <OwnScreen userId={entered.current} hidden={!user} />
}

/**
 * A screen of this user. When the session ends it is hidden, not removed: nobody reads on, on a lost phone say, and what was
 * typed is there when the user has logged in again. Another user gets a new screen.
 */
function OwnScreen({ userId, hidden }: { userId: number; hidden: boolean }) {
  return (
    <>
      {hidden && (
        <Suspense>
          <SessionEnded userId={userId} />
        </Suspense>
      )}
      <div key={userId} className={hidden ? 'hidden' : 'contents'}>
        <Outlet />
      </div>
    </>
  )
}
