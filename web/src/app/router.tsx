import { lazy, Suspense } from 'react'
import { Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { ScreenSpinner } from '../components/ui/loading.tsx'
import { SharePage } from '../pages/share-page.tsx'
import { ViewOnlyPage } from '../pages/view-only-page.tsx'
import { CrashBoundary } from './error-boundary.tsx'
import { RequireAdmin, RequireUser } from './guards.tsx'
import { signIn, USER_SCREENS } from './screens.ts'
import { Shell } from './shell.tsx'

// A screen's code is loaded with its route; only the public screens are part of the start.
const AccountPage = lazy(() => import('../pages/account-page.tsx'))
const AdminPage = lazy(() => import('../features/admin/admin-screen.tsx'))
const ApiDocsPage = lazy(() => import('../pages/api-docs-page.tsx'))
const AuthPage = lazy(signIn)
const EmbedPage = lazy(() => import('../pages/embed-page.tsx'))
const LegalPage = lazy(() => import('../pages/legal-page.tsx'))
const NotFoundPage = lazy(() => import('../pages/not-found-page.tsx'))
const ResultsPage = lazy(() => import('../pages/results-page.tsx'))

/** One component for all paths of a screen, which it stays mounted for. */
const userScreens = new Map(USER_SCREENS.map(([, load]) => [load, lazy(load)]))

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
            {USER_SCREENS.map(([path, load]) => {
              const Screen = userScreens.get(load)
              return <Route key={path} path={path} element={Screen && <Screen />} />
            })}
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
          <Route path="/share/:shareCode/results" element={<ResultsPage />} />
          <Route path="/viewer/:shareCode" element={<ViewOnlyPage details="dialog" />} />
          <Route path="/browse/:shareCode" element={<ViewOnlyPage details="card" />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Route>
      <Route element={<LoadedScreen />}>
        <Route path="/embed/:shareCode" element={<EmbedPage />} />
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
