import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createStore } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'
import type { Hint } from './event-stream.ts'

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

/** Keeps what the page shows current by the server's live events while a user is signed in. */
export function useLiveEvents(enabled: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    // Loaded only for signed-in users: the voting page does not need it.
    const loading = import('./refresh-on-events.ts')
    let stop: (() => void) | null = null
    let over = false
    loading.then(({ refreshOnHints }) => {
      if (!over) stop = refreshOnHints(client, { onHint: emitHint, onState: live.set })
    })
    return () => {
      over = true
      stop?.()
    }
  }, [client, enabled])
}
