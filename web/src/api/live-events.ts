import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Hint } from './event-stream.ts'

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

const hintListeners = new Set<(hint: Hint) => void>()

/** Hears every hint of the server, for as long as somebody is signed in. Answers how to stop. */
export function subscribeHints(listener: (hint: Hint) => void): () => void {
  hintListeners.add(listener)
  return () => hintListeners.delete(listener)
}

function tellHint(hint: Hint): void {
  for (const listener of hintListeners) listener(hint)
}

/** Refreshes what the page shows by the server's live events, for as long as somebody is signed in. */
export function useLiveEvents(enabled: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    // Loaded only for those who are signed in: the voting page goes without.
    const loading = import('./refresh-on-events.ts')
    let stop: (() => void) | null = null
    let over = false
    loading.then(({ refreshOnHints }) => {
      if (!over) stop = refreshOnHints(client, { onHint: tellHint, onState: setLive })
    })
    return () => {
      over = true
      stop?.()
    }
  }, [client, enabled])
}
