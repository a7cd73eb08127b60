import { lazy, Suspense } from 'react'
import { matchPath, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { SharePage } from '../pages/share-page.tsx'
import { ViewOnlyPage } from '../pages/view-only-page.tsx'
import { CrashBoundary } from './error-boundary.tsx'
import { RequireAdmin, RequireUser } from './guards.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Shell } from './shell.tsx'

// A screen's code is loaded with its route; only the public screens are part of the start.
const load = {
  account: () => import('../pages/account-page.tsx'),
  admin: () => import('../pages/admin-page.tsx'),
  apiDocs: () => import('../pages/api-docs-page.tsx'),
  auth: () => import('../pages/auth-page.tsx'),
  flight: () => import('../pages/flight-page.tsx'),
  flights: () => import('../pages/flights-page.tsx'),
  folder: () => import('../pages/folder-page.tsx'),
  home: () => import('../pages/home-page.tsx'),
  legal: () => import('../pages/legal-page.tsx'),
  metadata: () => import('../pages/metadata-page.tsx'),
  order: () => import('../pages/order-page.tsx'),
  orders: () => import('../pages/orders-page.tsx'),
  profile: () => import('../pages/profile-page.tsx'),
}
const AccountPage = lazy(load.account)
const AdminPage = lazy(load.admin)
const ApiDocsPage = lazy(load.apiDocs)
const AuthPage = lazy(load.auth)
const FlightPage = lazy(load.flight)
const FlightsPage = lazy(load.flights)
const FolderPage = lazy(load.folder)
const HomePage = lazy(load.home)
const LegalPage = lazy(load.legal)
const MetadataPage = lazy(load.metadata)
const OrderPage = lazy(load.order)
const OrdersPage = lazy(load.orders)
const ProfilePage = lazy(load.profile)

/** The screens of signed-in users: path, component and its code. */
const USER_SCREENS = [
  ['/', HomePage, load.home],
  ['/upload', HomePage, load.home],
  ['/folders', HomePage, load.home],
  ['/folders/:id', FolderPage, load.folder],
  ['/flights', FlightsPage, load.flights],
  ['/flights/:id', FlightPage, load.flight],
  ['/orders', OrdersPage, load.orders],
  ['/orders/:id', OrderPage, load.order],
  ['/metadata', MetadataPage, load.metadata],
  ['/profile', ProfilePage, load.profile],
] as const

/** Loads the code of the screen while the session is checked, not after it. A failure is shown when the screen is rendered. */
export function preloadScreen(pathname: string): void {
  const screen = USER_SCREENS.find(([path]) => matchPath(path, pathname))
  screen?.[2]().catch(() => {})
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
