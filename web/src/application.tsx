import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { AppRoutes } from './app/router.tsx'
import { Toaster } from './components/ui/toast.tsx'
import { isOrderKept } from './features/print-wizard/kept-order.ts'
import { completeFirstScreen, watchFirstScreen } from './lib/first-screen.ts'
import { readPrerenderedFolder } from './lib/served-page.ts'

/** Renders the application into the page's element. */
export function renderApplication(root: HTMLElement, client: QueryClient): void {
  readPrerenderedFolder(root)
  watchFirstScreen(() => client.isFetching() > 0)
  if (isOrderKept()) completeFirstScreen()
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
