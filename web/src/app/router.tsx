import type { QueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { matchPath, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { userQuery } from '../api/queries.ts'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { SharePage } from '../pages/share-page.tsx'
import { ViewOnlyPage } from '../pages/view-only-page.tsx'
import { CrashBoundary } from './error-boundary.tsx'
import { RequireAdmin, RequireUser } from './guards.tsx'
import { SignedInCenters } from './later-signed-in-centers.tsx'
import { lazyScreen } from './lazy-screen.tsx'
import { Shell } from './shell.tsx'

// A screen's code is loaded with its route; only the public screens are part of the start.
const AccountPage = lazyScreen(() => import('../pages/account-page.tsx'))
const AdminPage = lazyScreen(() => import('../pages/admin-page.tsx'))
const ApiDocsPage = lazyScreen(() => import('../pages/api-docs-page.tsx'))
const AuthPage = lazyScreen(() => import('../pages/auth-page.tsx'))
const FlightPage = lazyScreen(() => import('../pages/flight-page.tsx'))
const FlightsPage = lazyScreen(() => import('../pages/flights-page.tsx'))
const FolderPage = lazyScreen(() => import('../pages/folder-page.tsx'))
const HomePage = lazyScreen(() => import('../pages/home-page.tsx'))
const LegalPage = lazyScreen(() => import('../pages/legal-page.tsx'))
const MetadataPage = lazyScreen(() => import('../pages/metadata-page.tsx'))
const NotFoundPage = lazyScreen(() => import('../pages/not-found-page.tsx'))
const OrderPage = lazyScreen(() => import('../pages/order-page.tsx'))
const OrdersPage = lazyScreen(() => import('../pages/orders-page.tsx'))
const ProfilePage = lazyScreen(() => import('../pages/profile-page.tsx'))

/** The screens of signed-in users by their paths. */
const USER_SCREENS = [
  ['/', HomePage],
  ['/upload', HomePage],
  ['/folders', HomePage],
  ['/folders/:id', FolderPage],
  ['/flights', FlightsPage],
  ['/flights/:id', FlightPage],
  ['/orders', OrdersPage],
  ['/orders/:id', OrderPage],
  ['/metadata', MetadataPage],
  ['/profile', ProfilePage],
] as const

/**
 * Loads the code of the screen while the session is checked, and then requests its first data, before it is rendered. A
 * failure is shown when the screen is rendered.
 */
export async function preloadScreen(client: QueryClient, { pathname, search }: Location): Promise<void> {
  // The form is the first screen, not the photos behind it.
  if (pathname === '/upload') SignedInCenters.need()
  const checking = client.fetchQuery(userQuery)
  const loading = USER_SCREENS.find(([path]) => matchPath(path, pathname))?.[1].load()
  const [user, code] = await Promise.all([checking, loading])
  if (user && !user.deletesAt) code?.preload?.(client, { pathname, search })
}

/** Screens of the account for people without a session, by their paths. */
const ACCOUNT_SCREENS = [
  'account-deleted',
  'forgot-password',
  'reset-password',
  'confirm-email',
  'revert-email',
] as const

/** All screens and their paths. */
export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell />}>
        <Route element={<LoadedScreen />}>
          <Route element={<RequireUser />}>
            {USER_SCREENS.map(([path, Screen]) => (
              <Route key={path} path={path} element={<Screen />} />
            ))}
          </Route>
          <Route element={<RequireAdmin />}>
            <Route path="/admin" element={<AdminPage />} />
          </Route>
          <Route path="/terms" element={<LegalPage key="terms" document="terms" />} />
          <Route path="/privacy" element={<LegalPage key="privacy" document="privacy" />} />
          <Route path="/api-docs" element={<ApiDocsPage />} />
          <Route path="/auth" element={<AuthPage />} />
          {ACCOUNT_SCREENS.map((screen) => (
            <Route key={screen} path={screen} element={<AccountPage screen={screen} />} />
          ))}
          <Route path="/share/:shareCode" element={<SharePage />} />
          <Route path="/viewer/:shareCode" element={<ViewOnlyPage details="dialog" />} />
          <Route path="/browse/:shareCode" element={<ViewOnlyPage details="card" />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Route>
    </Routes>
  )
}

/** Shows a spinner while a screen's code loads, and an error screen when it crashes. */
function LoadedScreen() {
  const { pathname } = useLocation()
  return (
    <CrashBoundary path={pathname}>
      <Suspense fallback={<ScreenSpinner />}>
        <Outlet />
      </Suspense>
    </CrashBoundary>
  )
}
