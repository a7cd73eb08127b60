import { lazy, Suspense } from 'react'
import { Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { SharePage } from '../pages/share-page.tsx'
import { ViewOnlyPage } from '../pages/view-only-page.tsx'
import { CrashBoundary } from './error-boundary.tsx'
import { RequireAdmin, RequireUser } from './guards.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Shell } from './shell.tsx'

// A screen's code is loaded with its route; only the public screens are part of the start.
const AccountPage = lazy(() => import('../pages/account-page.tsx'))
const AdminPage = lazy(() => import('../pages/admin-page.tsx'))
const AuthPage = lazy(() => import('../pages/auth-page.tsx'))
const FolderPage = lazy(() => import('../pages/folder-page.tsx'))
const HomePage = lazy(() => import('../pages/home-page.tsx'))
const LegalPage = lazy(() => import('../pages/legal-page.tsx'))
const MetadataPage = lazy(() => import('../pages/metadata-page.tsx'))
const OrderPage = lazy(() => import('../pages/order-page.tsx'))
const OrdersPage = lazy(() => import('../pages/orders-page.tsx'))
const ProfilePage = lazy(() => import('../pages/profile-page.tsx'))

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
            <Route path="/" element={<HomePage />} />
            <Route path="/upload" element={<HomePage />} />
            <Route path="/folders" element={<HomePage />} />
            <Route path="/folders/:id" element={<FolderPage />} />
            <Route path="/orders" element={<OrdersPage />} />
            <Route path="/orders/:id" element={<OrderPage />} />
            <Route path="/metadata" element={<MetadataPage />} />
            <Route path="/profile" element={<ProfilePage />} />
          </Route>
          <Route element={<RequireAdmin />}>
            <Route path="/admin" element={<AdminPage />} />
          </Route>
          <Route path="/terms" element={<LegalPage key="terms" document="terms" />} />
          <Route path="/privacy" element={<LegalPage key="privacy" document="privacy" />} />
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
