import type { Query, QueryClient } from '@tanstack/react-query'
import { isFirstScreenComplete, whenFirstScreenIsComplete } from '../lib/first-screen.ts'
import { type EventHandlers, listenToEvents } from './event-stream.ts'
import { refreshPhotos } from './photo-cache.ts'
import { PHOTO_CAMERAS, PHOTO_PLACES, userQuery } from './queries.ts'
import type { Hint } from './types.ts'

/** Hints arrive in bursts: they are collected for this time, then each list is read once. */
const GATHER_MS = 150
/** A burst of hints about photos (an upload being processed) can last long. */
const PHOTOS_PAUSE_MS = 2_000
/** Busy voting produces hints all the time. */
const RANKINGS_PAUSE_MS = 250
/** A podium on a wall that moves more often is not calm. */
const PRESENTED_PAUSE_MS = 1_000
/** Voters are more expensive to read, and a list that keeps changing is unusable. */
const VOTERS_PAUSE_MS = 5_000
/** Orders change in bursts when the partner's statuses were read. */
const ORDERS_PAUSE_MS = 1_000
/** The user's numbers come from a projection of auth, to which media publishes them within half a second. */
const USAGE_LAG_MS = 600

/** What is read again after hints, with the ids that they name. */
interface Refresh {
  types: Hint['type'][]
  read: (client: QueryClient, ids: ReadonlySet<number>) => Promise<unknown>
  /** Milliseconds for which hints are collected. */
  gatherMs?: number
  /** The least time between two reads in milliseconds. */
  pauseMs?: number
}

const invalidate = (client: QueryClient, ...keys: (string | number)[][]) =>
  Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))

/** The keys of a folder's queries for each of the folders. */
const ofEach = (ids: ReadonlySet<number>, ...keys: string[]) => [...ids].flatMap((id) => keys.map((key) => [key, id]))

const REFRESHES: Refresh[] = [
  {
    types: ['photo.changed', 'photo.deleted'],
    read: (client, ids) =>
      Promise.all([refreshPhotos(client, ids), invalidate(client, [PHOTO_PLACES], [PHOTO_CAMERAS])]),
    pauseMs: PHOTOS_PAUSE_MS,
  },
  // Their response says when photos are still to be grouped: then they are read again.
  {
    types: ['photo.changed', 'photo.deleted'],
    read: (client) => invalidate(client, ['flights'], ['flight']),
    pauseMs: PHOTOS_PAUSE_MS,
  },
  {
    types: ['photo.changed', 'photo.deleted'],
    read: (client) => invalidate(client, ['account-statistics'], ['storage']),
    gatherMs: USAGE_LAG_MS,
    pauseMs: PHOTOS_PAUSE_MS,
  },
  // Numbers, covers and standings of folders: sent when the projection that they come from has the changed photos.
  {
    types: ['contents.changed'],
    read: (client) => invalidate(client, ['folders'], ['folder'], ['rankings'], ['voters'], ['presented']),
    pauseMs: PHOTOS_PAUSE_MS,
  },
  {
    types: ['folder.changed'],
    read: (client, ids) =>
      invalidate(client, ['folders'], ['photos'], ...ofEach(ids, 'folder', 'folder-photos', 'links', 'contest')),
  },
  {
    types: ['folder.deleted'],
    read: (client, ids) => invalidate(client, ['folders'], ['photos'], ['folder-photos'], ...ofEach(ids, 'folder')),
  },
  {
    types: ['rankings.changed'],
    read: (client, ids) => invalidate(client, ...ofEach(ids, 'rankings')),
    pauseMs: RANKINGS_PAUSE_MS,
  },
  {
    types: ['rankings.changed'],
    read: (client, ids) => invalidate(client, ...ofEach(ids, 'presented')),
    pauseMs: PRESENTED_PAUSE_MS,
  },
  {
    types: ['rankings.changed'],
    read: (client, ids) => invalidate(client, ...ofEach(ids, 'voters', 'voting-log', 'invitations')),
    pauseMs: VOTERS_PAUSE_MS,
  },
  {
    types: ['order.changed'],
    read: (client) => invalidate(client, ['orders'], ['order'], ['unresolved-orders']),
    pauseMs: ORDERS_PAUSE_MS,
  },
]

/** Collects the ids that hints name, and reads what depends on them. */
function createRefresher(client: QueryClient, { types, read, gatherMs = GATHER_MS, pauseMs = 0 }: Refresh) {
  let ids = new Set<number>()

  function readCollected(): Promise<unknown> {
    const collected = ids
    ids = new Set()
    return read(client, collected)
  }

  // Throttled, because a new hint would otherwise cancel the request of the previous one, and on a slow network none would ever complete.
  const { trigger, stop } = throttle(readCollected, { gatherMs, pauseMs })
  return {
    take({ type, id }: Hint): void {
      if (!types.includes(type)) return
      ids.add(id)
      trigger()
    },
    stop,
  }
}

interface HintHandlers extends Pick<EventHandlers, 'onHint' | 'onState'> {
  /** When the data of a query were requested, by `Date.now()`; the page's begin before that. */
  requestedAt(query: Query): number
}

/** Reads again what the server's hints name, until the returned function is called. */
export function refreshOnHints(client: QueryClient, handlers: HintHandlers): () => void {
  const refreshers = REFRESHES.map((refresh) => createRefresher(client, refresh))
  let cancelRereading = () => {}
  let rereading: ReturnType<typeof setTimeout> | undefined

  /** What has failed in the first screen says so: reading it again would hide that for a moment. */
  function reread(changedAt: number, isFirst: boolean): void {
    clearTimeout(rereading)
    // A first request is not restarted, and its response may be older than a hint that arrived meanwhile.
    if (client.isFetching() > 0) rereading = setTimeout(reread, GATHER_MS, changedAt, isFirst)
    else {
      // What could not be read while the connection was broken is invalidated.
      const mayHaveChanged = (query: Query) => query.state.isInvalidated || handlers.requestedAt(query) <= changedAt
      const predicate = (query: Query) => mayHaveChanged(query) && !(isFirst && query.state.data === undefined)
      void client.invalidateQueries({ predicate })
    }
  }

  const stop = listenToEvents({
    onHint(hint) {
      handlers.onHint(hint)
      for (const refresher of refreshers) refresher.take(hint)
    },
    // Hints may have been lost. What is older than the last one is read again, but after the first screen, which that would delay.
    onOpen(quietMs) {
      const changedAt = Date.now() - quietMs // `performance.now()` stands still in most browsers while the device sleeps.
      cancelRereading()
      const isFirst = !isFirstScreenComplete.get()
      cancelRereading = whenFirstScreenIsComplete(() => reread(changedAt, isFirst))
    },
    onRejected: () => void client.invalidateQueries({ queryKey: userQuery.queryKey }),
    onState: handlers.onState,
  })
  return () => {
    cancelRereading()
    clearTimeout(rereading)
    for (const refresher of refreshers) refresher.stop()
    stop()
    handlers.onState(false)
  }
}

/**
 * Throttles `run`: triggers within `gatherMs` cause one run, and the next run starts at least `pauseMs` after the end
 * of the previous one. `stop` cancels a run that has not started.
 */
export function throttle(
  run: () => Promise<unknown>,
  { gatherMs, pauseMs }: { gatherMs: number; pauseMs: number },
): { trigger: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let again = false
  let pauseEnds = 0

  async function execute(): Promise<void> {
    timer = undefined
    running = true
    await run().catch(() => {}) // The next hint triggers what failed again.
    running = false
    pauseEnds = Date.now() + pauseMs
    if (again) trigger()
  }

  function trigger(): void {
    again = running
    if (running || timer !== undefined) return
    timer = setTimeout(execute, Math.max(gatherMs, pauseEnds - Date.now()))
  }

  function stop(): void {
    again = false
    clearTimeout(timer)
  }

  return { trigger, stop }
}
