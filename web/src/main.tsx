import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { followLiveEvents, preloadLiveEvents } from './api/live-events.ts'
import { createQueryClient } from './api/query-client.ts'
import { AppRoutes, preloadScreen } from './app/router.tsx'
import { Toaster } from './components/ui/toast.tsx'
import { isOrderKept } from './features/print-wizard/kept-order.ts'
import { completeFirstScreen, watchFirstScreen } from './lib/first-screen.ts'
import { readPrerenderedFolder } from './lib/prerendered-folder.ts'
import { hasVisitorMark } from './lib/visitors-page.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
readPrerenderedFolder(root)
const client = createQueryClient()
if (!hasVisitorMark()) {
  preloadLiveEvents()
  // A failure is shown when the screen is rendered.
  preloadScreen(client, location).catch(() => {})
}
followLiveEvents(client)
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
