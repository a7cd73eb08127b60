import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { lazy, useRef } from 'react'
import { Link, Navigate, Outlet, useLocation } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { Button } from '../components/ui/button.tsx'
import { EmptyState } from '../components/ui/empty-state.tsx'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import type { SignInState } from '../lib/sign-in-state.ts'

const DeletionScreen = lazy(() => import('./deletion-screen.tsx'))

/**
 * Admits only signed-in users; others go to /auth and return after signing in. A screen that is open when the session
 * ends is hidden, not removed: nobody reads on, on a lost phone say, and no input is lost if the user signs in again.
 * While the account is being deleted, every screen is replaced by the card that says so.
 */
export function RequireUser() {
  const { data: user, isPending } = useQuery(userQuery)
  const { pathname, search } = useLocation()
  const entered = useRef<string | null>(null)

  if (isPending) return <ScreenSpinner />
  if (user) entered.current = pathname
  if (user?.deletesAt) return <DeletionScreen user={user} />
  if (entered.current !== pathname)
    return <Navigate to="/auth" replace state={{ from: pathname + search } satisfies SignInState} />
  return (
    <>
      {!user && <SessionEnded from={pathname + search} />}
      <div className={user ? 'contents' : 'hidden'}>
        <Outlet />
      </div>
    </>
  )
}

function SessionEnded({ from }: { from: string }) {
  return (
    <div role="alert">
      <EmptyState
        heading="h1"
        icon={<LogIn />}
        title={from.startsWith('/folders/') ? 'Please log in to view your folders.' : 'Your session has ended'}
        description="Log in to continue where you were."
        action={
          <Button asChild variant="primary">
            <Link to="/auth" state={{ from } satisfies SignInState}>
              Login
            </Link>
          </Button>
        }
      />
    </div>
  )
}

/**
 * Admits only administrators; others go to the start page. A screen that is open when the rights are taken away stays
 * open: its next request is rejected, and the screen says so. When the session has ended, that is said instead.
 */
export function RequireAdmin() {
  const { data: user, isPending } = useQuery(userQuery)
  const { pathname, search } = useLocation()
  const entered = useRef(false)

  if (isPending) return <ScreenSpinner />
  if (user?.deletesAt) return <DeletionScreen user={user} />
  entered.current ||= user?.isAdmin === true
  if (!entered.current) return <Navigate to="/" replace />
  return user ? <Outlet /> : <SessionEnded from={pathname + search} />
}
