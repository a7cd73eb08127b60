import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { SignedInCenters } from './app/later-signed-in-centers.tsx'
import { AppRoutes } from './app/router.tsx'
import { Toaster } from './components/ui/toast.tsx'
import { readPrerenderedFolder } from './lib/prerendered-folder.ts'

/** Renders the application into the page's element. */
export function renderApplication(root: HTMLElement, client: QueryClient): void {
  readPrerenderedFolder(root)
  // The form is the first screen, not the photos behind it.
  if (location.pathname === '/upload') SignedInCenters.need()
  // A transition is rendered in short tasks.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={client}>
          <BrowserRouter>
            <AppRoutes />
          </BrowserRouter>
          <Toaster />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}
