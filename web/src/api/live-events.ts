import type { Query, QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query'
import { createStore, useStore } from '../lib/store.ts'
import { USER_DATA, userQuery } from './queries.ts'
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

function emitHint(hint: Hint): void {
  for (const listener of hintListeners) listener(hint)
}

/**
 * Keeps what the page shows current by the server's live events while a user is signed in, and forgets what was read for a user when
 * another one is (in another tab, for example). Call it once, before the first request.
 */
export function followLiveEvents(client: QueryClient): void {
  let stop: (() => void) | null = null
  let followed: number | null = null
  const pageBegan = Date.now()
  const begun = new WeakMap<Query, number>()
  const requested = new WeakMap<Query, number>()
  const start = () => follow(client, (query) => requested.get(query) ?? pageBegan)

  /** A read that fails or is cancelled leaves the data as old as they were, and so does one more page. */
  function recordRequest(event: QueryCacheNotifyEvent): void {
    if (event.type !== 'updated') return
    const { query, action } = event
    if (action.type === 'fetch') begun.set(query, Date.now())
    const isRead = action.type === 'success' && !action.manual && !query.state.fetchMeta?.fetchMore
    if (isRead) requested.set(query, begun.get(query) ?? pageBegan)
  }

  // Not an effect of a component: it would wait for the first screen to be rendered.
  client.getQueryCache().subscribe((event) => {
    const { query } = event
    recordRequest(event)
    if (query.queryKey[0] !== userQuery.queryKey[0]) return
    const user = client.getQueryData(userQuery.queryKey)
    const isAnother = Boolean(user) && user?.id !== followed
    if (stop && (isAnother || !user || user.deletesAt)) {
      stop()
      stop = null
    }
    if (user && isAnother) {
      if (followed !== null) void client.resetQueries(USER_DATA)
      followed = user.id
    }
    if (user && !user.deletesAt) stop ??= start()
  })
}

function follow(client: QueryClient, requestedAt: (query: Query) => number): () => void {
  let stop: (() => void) | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  function start(): void {
    // Not part of the start: visitors have no live events.
    import('./refresh-on-events.ts').then(
      ({ refreshOnHints }) => {
        if (!isOver) stop = refreshOnHints(client, { requestedAt, onHint: emitHint, onState: live.set })
      },
      () => {
        if (!isOver) timer = setTimeout(start, RETRY_MS)
      },
    )
  }

  start()
  return () => {
    isOver = true
    clearTimeout(timer)
    stop?.()
  }
}
