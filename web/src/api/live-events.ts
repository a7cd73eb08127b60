import type { Query, QueryClient } from '@tanstack/react-query'
import { createStore, useStore } from '../lib/store.ts'
import { listenToEvents } from './event-stream.ts'
import { USER_DATA, userQuery } from './queries.ts'
import type { Refreshing } from './refresh-on-events.ts'
import type { Hint } from './types.ts'

const RETRY_MS = 5_000

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

/**
 * Keeps what the page shows current by the server's live events while a user is signed in, and forgets what was read for a user when
 * another one is (in another tab, for example). Call it once, before the first request. The stream is opened beside the request for the
 * user, so that it is open when the first data are requested, unless `isVisitor` says that nobody is signed in.
 */
export function followLiveEvents(client: QueryClient, isVisitor: boolean): void {
  const requested = new WeakMap<Query, number>()
  const start = () => follow(client, (query) => requested.get(query) ?? 0)
  let stop = isVisitor ? null : start()
  let followed: number | null = null
  // Not an effect of a component: it would wait for the first screen to be rendered.
  client.getQueryCache().subscribe((event) => {
    const { query } = event
    if (event.type === 'updated' && event.action.type === 'fetch') requested.set(query, performance.now())
    if (query.queryKey[0] !== userQuery.queryKey[0] || query.state.status === 'pending') return
    const user = client.getQueryData(userQuery.queryKey)
    const isAnother = Boolean(user) && followed !== null && user?.id !== followed
    if (stop && (isAnother || !user || user.deletesAt)) {
      stop()
      stop = null
    }
    if (isAnother) void client.resetQueries(USER_DATA)
    if (user) followed = user.id
    if (user && !user.deletesAt) stop ??= start()
  })
}

function follow(client: QueryClient, requestedAt: (query: Query) => number): () => void {
  let refreshing: Refreshing | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  // Until the code that reads again is there.
  let openedAt: number | null = null
  let hints: Hint[] = []

  function load(): void {
    // Not part of the start: visitors have no live events.
    import('./refresh-on-events.ts').then(
      ({ refreshOnHints }) => {
        if (isOver) return
        refreshing = refreshOnHints(client, requestedAt)
        if (openedAt !== null) refreshing.onOpen(openedAt)
        for (const hint of hints) refreshing.take(hint)
        hints = []
      },
      () => {
        if (!isOver) timer = setTimeout(load, RETRY_MS)
      },
    )
  }

  load()
  const stopListening = listenToEvents({
    onHint(hint) {
      for (const listener of hintListeners) listener(hint)
      if (refreshing) refreshing.take(hint)
      else hints.push(hint)
    },
    onOpen() {
      openedAt = performance.now()
      refreshing?.onOpen(openedAt)
    },
    onRejected: () => void client.invalidateQueries({ queryKey: userQuery.queryKey }),
    onState: live.set,
  })
  return () => {
    isOver = true
    clearTimeout(timer)
    refreshing?.stop()
    stopListening()
    live.set(false)
  }
}
