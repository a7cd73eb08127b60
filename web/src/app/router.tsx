import { lazy, Suspense } from 'react'
import { Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { CrashBoundary } from './crash-screen.tsx'
import { RequireUser } from './guards.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Shell } from './shell.tsx'

// The code of a screen is loaded with its route.
const AuthPage = lazy(() => import('../pages/auth-page.tsx'))
const FolderPage = lazy(() => import('../pages/folder-page.tsx'))
const HomePage = lazy(() => import('../pages/home-page.tsx'))
const MetadataPage = lazy(() => import('../pages/metadata-page.tsx'))
const SharePage = lazy(() => import('../pages/share-page.tsx'))

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
            <Route path="/metadata" element={<MetadataPage />} />
          </Route>
          <Route path="/auth" element={<AuthPage />} />
          <Route path="/share/:shareCode" element={<SharePage />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Route>
    </Routes>
  )
}

/** A spinner while a screen's code comes, and a way on when the screen breaks. */
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
