import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { createQueryClient } from './api/query-client.ts'
import { AppRoutes, preloadScreen } from './app/router.tsx'
import { Toaster } from './components/ui/toast.tsx'
import { readPrerenderedFolder } from './lib/prerendered-folder.ts'
import { hasVisitorMark } from './lib/visitors-page.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
readPrerenderedFolder(root)
if (!hasVisitorMark()) preloadScreen(location.pathname)

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
)
