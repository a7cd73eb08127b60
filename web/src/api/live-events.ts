import type { QueryClient } from '@tanstack/react-query'
import { lazyModule } from '../lib/lazy-module.ts'
import { createStore } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'
import type { Hint } from './event-stream.ts'
import { userQuery } from './queries.ts'

// For signed-in users only: the voting page does not need it.
const code = lazyModule(() => import('./refresh-on-events.ts'))

/** Loads the code while the session is checked: what was read before the stream of events has opened is read again. */
export function preloadLiveEvents(): void {
  code.load().catch(() => {})
}

const live = createStore(false)

/** True while the stream of live events is open. */
export function useIsLive(): boolean {
  return useStore(live)
}

const hintListeners = new Set<(hint: Hint) => void>()

/** Subscribes to the server's hints while a user is signed in. Returns a function that unsubscribes. */
export function subscribeHints(listener: (hint: Hint) => void): () => void {
  hintListeners.add(listener)
  return () => hintListeners.delete(listener)
}

function emitHint(hint: Hint): void {
  for (const listener of hintListeners) listener(hint)
}

/** Keeps what the page shows current by the server's live events while a user is signed in. Call it once. */
export function followLiveEvents(client: QueryClient): void {
  let stop: (() => void) | null = null
  // Not an effect of a component: it would wait for the first screen to be rendered.
  client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] !== userQuery.queryKey[0]) return
    const user = client.getQueryData(userQuery.queryKey)
    const isActive = Boolean(user) && !user?.deletesAt
    if (isActive) stop ??= follow(client)
    else {
      stop?.()
      stop = null
    }
  })
}

function follow(client: QueryClient): () => void {
  let stop: (() => void) | null = null
  let isOver = false
  code.load().then(
    ({ refreshOnHints }) => {
      if (!isOver) stop = refreshOnHints(client, { onHint: emitHint, onState: live.set })
    },
    () => {}, // The page is shown without live events.
  )
  return () => {
    isOver = true
    stop?.()
  }
}
