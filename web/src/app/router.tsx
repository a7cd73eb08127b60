import type { ComponentType } from 'react'
import { createBrowserRouter } from 'react-router-dom'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { CrashScreen } from './crash-screen.tsx'
import { RequireUser } from './guards.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Shell } from './shell.tsx'

/** A screen whose code is loaded with its route. */
function screen(load: () => Promise<{ default: ComponentType }>) {
  return { lazy: async () => ({ Component: (await load()).default }) }
}

const home = screen(() => import('../pages/home-page.tsx'))

export const router = createBrowserRouter([
  {
    Component: Shell,
    HydrateFallback: ScreenSpinner,
    children: [
      {
        ErrorBoundary: CrashScreen,
        children: [
          {
            Component: RequireUser,
            children: [
              { path: '/', ...home },
              { path: '/upload', ...home },
              { path: '/folders', ...home },
              { path: '/folders/:id', ...screen(() => import('../pages/folder-page.tsx')) },
            ],
          },
          { path: '/auth', ...screen(() => import('../pages/auth-page.tsx')) },
          { path: '/share/:shareCode', ...screen(() => import('../pages/share-page.tsx')) },
          { path: '*', Component: NotFoundPage },
        ],
      },
    ],
  },
])
