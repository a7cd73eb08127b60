import './styles.css'
import { followLiveEvents } from './api/live-events.ts'
import { userQuery } from './api/queries.ts'
import { createQueryClient } from './api/query-client.ts'
import { screenAt } from './app/screens.ts'
import { hasVisitorMark } from './lib/served-page.ts'

// What is requested first is requested before React, which is most of the scripts, has been loaded.
const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
const client = createQueryClient()
followLiveEvents(client)
const isVisitor = hasVisitorMark()
if (!isVisitor) {
  void client.prefetchQuery(userQuery)
  import('./app/first-requests.ts').then(({ requestFirstData }) => requestFirstData(client, location)).catch(() => {})
}
// A failure is shown when the screen is rendered.
screenAt(location.pathname, isVisitor)?.().catch(() => {})

import('./application.tsx').then(
  ({ renderApplication }) => renderApplication(root, client),
  () => {
    const failure = document.createElement('p')
    failure.setAttribute('role', 'alert')
    failure.className = 'page py-6'
    failure.textContent = 'Skyfolio could not be loaded. Check your connection and reload the page.'
    root.append(failure)
  },
)
