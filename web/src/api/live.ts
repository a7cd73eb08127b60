import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { type Hint, listenToEvents } from '../lib/live-events.ts'
import { foldersQuery, userQuery } from './queries.ts'

/** Hints come in swarms (ten photos, several steps each): they are gathered this long, and each list is read once. */
const GATHER_MS = 150
/** Counts and covers of folders come from a projection that may lag behind a photo's change. */
const PROJECTION_LAG_MS = 1_000

/** The keys of the queries that a hint makes stale. A moved photo leaves a folder that the hint does not name, so all lists are meant. */
export function staleKeys(hint: Hint): (string | number)[][] {
  switch (hint.type) {
    case 'photo.changed':
    case 'photo.deleted':
      return [['photos'], ['folder-photos'], ['rankings']]
    case 'folder.changed':
      return [['folders'], ['folder', hint.id], ['folder-photos', hint.id], ['photos']]
    case 'folder.deleted':
      return [['folders'], ['folder', hint.id], ['folder-photos'], ['photos']]
    case 'rankings.changed':
      return [['rankings', hint.id]]
  }
}

function refreshOnHints(client: QueryClient): () => void {
  const waiting = new Map<string, (string | number)[]>()
  let gather: ReturnType<typeof setTimeout> | undefined
  let lag: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    gather = undefined
    for (const queryKey of waiting.values()) client.invalidateQueries({ queryKey })
    waiting.clear()
  }

  function afterLag(): void {
    lag = undefined
    client.invalidateQueries({ queryKey: foldersQuery.queryKey })
    client.invalidateQueries({ queryKey: ['folder'] })
  }

  const stop = listenToEvents({
    onHint(hint) {
      for (const key of staleKeys(hint)) waiting.set(key.join(), key)
      gather ??= setTimeout(flush, GATHER_MS)
      if (hint.type.startsWith('photo.')) lag ??= setTimeout(afterLag, PROJECTION_LAG_MS)
    },
    // Reads that are under way see the state after the opening: they are not started again.
    onOpen: () => void client.invalidateQueries(undefined, { cancelRefetch: false }),
    onRefused: () => void client.invalidateQueries({ queryKey: userQuery.queryKey }),
    onState: setLive,
  })
  return () => {
    clearTimeout(gather)
    clearTimeout(lag)
    stop()
    setLive(false)
  }
}

let live = false
const liveListeners = new Set<() => void>()

function setLive(next: boolean): void {
  live = next
  for (const listener of liveListeners) listener()
}

function subscribeLive(listener: () => void): () => void {
  liveListeners.add(listener)
  return () => liveListeners.delete(listener)
}

/** True while the stream of live events is open. */
export function useIsLive(): boolean {
  return useSyncExternalStore(subscribeLive, () => live)
}

/** Refreshes what the page shows by the server's live events, for as long as somebody is signed in. */
export function useLiveEvents(enabled: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (enabled) return refreshOnHints(client)
  }, [client, enabled])
}
