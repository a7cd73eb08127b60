import type { QueryClient } from '@tanstack/react-query'
import { isFirstScreenComplete, whenFirstScreenIsComplete } from '../lib/first-screen.ts'
import { refreshUsage } from './account.ts'
import { type EventHandlers, listenToEvents } from './event-stream.ts'
import { refreshFlights } from './flights.ts'
import { refreshOrders } from './orders.ts'
import { refreshPhotos } from './photo-cache.ts'
import { foldersQuery, placesQuery, userQuery } from './queries.ts'
import type { Hint } from './types.ts'

/** Hints arrive in bursts: they are collected for this time, then each list is read once. */
const GATHER_MS = 150
/** A burst of photo hints (an upload being processed) can last long: minimum pause between two reads. */
const BURST_PAUSE_MS = 2_000
/** Busy voting produces hints all the time: minimum pause between two reads of the standings. */
const RANKINGS_PAUSE_MS = 250
/** Voters are more expensive to read, and a list that keeps changing is unusable: minimum pause between two reads. */
const VOTERS_PAUSE_MS = 5_000
/** Orders change in bursts when the partner's statuses were read: minimum pause between two reads. */
const ORDERS_PAUSE_MS = 1_000
/** Counts and covers of folders come from a projection that can lag behind a photo's change. */
const PROJECTION_LAG_MS = 1_000
/** While the services are busy it lags more: how long after that read the folders are read again. */
const LATE_READS_MS = [3_000, 10_000]
/** So do the user's numbers, which the media service publishes within a second. */
const USAGE_LAG_MS = 600

/** The query keys that a hint about a folder invalidates. Photos, rankings and orders are refreshed separately. */
function staleKeys(hint: Hint): (string | number)[][] {
  switch (hint.type) {
    case 'photo.changed':
    case 'photo.deleted':
    case 'rankings.changed':
    case 'order.changed':
      return []
    case 'folder.changed':
      return [['folders'], ['folder', hint.id], ['folder-photos', hint.id], ['photos']]
    case 'folder.deleted':
      return [['folders'], ['folder', hint.id], ['folder-photos'], ['photos']]
  }
}

/** Collects changed photos and reads them, and what depends on them, together. */
function photoRefresher(client: QueryClient) {
  const changed = new Set<number>()

  async function read(): Promise<void> {
    const ids = new Set(changed)
    changed.clear()
    for (const queryKey of [placesQuery.queryKey, ['rankings']]) client.invalidateQueries({ queryKey })
    await refreshPhotos(client, ids)
  }

  const { trigger, stop } = throttle(read, { gatherMs: GATHER_MS, pauseMs: BURST_PAUSE_MS })
  return {
    add(id: number): void {
      changed.add(id)
      trigger()
    },
    stop,
  }
}

/**
 * Collects folders with changed votes and reads what depends on them. Throttled, because a new hint would otherwise
 * cancel the request of the previous one, and on a slow network none would ever complete.
 */
function folderRefresher(client: QueryClient, keys: string[], pauseMs: number) {
  const changed = new Set<number>()

  async function read(): Promise<void> {
    const ids = [...changed]
    changed.clear()
    await Promise.all(ids.flatMap((id) => keys.map((key) => client.invalidateQueries({ queryKey: [key, id] }))))
  }

  const { trigger, stop } = throttle(read, { gatherMs: GATHER_MS, pauseMs })
  return {
    add(id: number): void {
      changed.add(id)
      trigger()
    },
    stop,
  }
}

/** Reads the numbers and covers of folders after photos changed, and again when the projection had time. */
function folderListRefresher(client: QueryClient) {
  let late: ReturnType<typeof setTimeout>[] = []

  const read = () =>
    Promise.all([foldersQuery.queryKey, ['folder']].map((queryKey) => client.invalidateQueries({ queryKey })))

  function cancelLate(): void {
    for (const timer of late) clearTimeout(timer)
  }

  function readRepeatedly(): Promise<unknown> {
    cancelLate()
    late = LATE_READS_MS.map((delay) => setTimeout(read, delay))
    return read()
  }

  const { trigger, stop } = throttle(readRepeatedly, { gatherMs: PROJECTION_LAG_MS, pauseMs: BURST_PAUSE_MS })
  return {
    trigger,
    stop(): void {
      cancelLate()
      stop()
    },
  }
}

/** Reads again what the server's hints name, until the returned function is called. */
export function refreshOnHints(client: QueryClient, handlers: Pick<EventHandlers, 'onHint' | 'onState'>): () => void {
  const waiting = new Map<string, (string | number)[]>()
  let gather: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    gather = undefined
    for (const queryKey of waiting.values()) client.invalidateQueries({ queryKey })
    waiting.clear()
  }

  const photos = photoRefresher(client)
  const folders = folderListRefresher(client)

  const usage = throttle(() => refreshUsage(client), { gatherMs: USAGE_LAG_MS, pauseMs: BURST_PAUSE_MS })

  // Their response says when photos are still to be grouped: then they are read again.
  const flights = throttle(() => refreshFlights(client), { gatherMs: GATHER_MS, pauseMs: BURST_PAUSE_MS })

  const rankings = folderRefresher(client, ['rankings'], RANKINGS_PAUSE_MS)
  const voters = folderRefresher(client, ['voters', 'voting-log'], VOTERS_PAUSE_MS)

  const orders = throttle(() => refreshOrders(client), { gatherMs: GATHER_MS, pauseMs: ORDERS_PAUSE_MS })

  let cancelRereading = () => {}
  let rereading: ReturnType<typeof setTimeout> | undefined

  /** What has failed in the first screen says so: reading it again would hide that for a moment. */
  function reread(isFirst: boolean): void {
    clearTimeout(rereading)
    // A first request is not restarted, and its response may be older than a hint that arrived meanwhile.
    if (client.isFetching() > 0) rereading = setTimeout(reread, GATHER_MS, isFirst)
    else void client.invalidateQueries({ predicate: ({ state }) => !isFirst || state.data !== undefined })
  }

  const stop = listenToEvents({
    onHint(hint) {
      handlers.onHint(hint)
      for (const key of staleKeys(hint)) waiting.set(key.join(), key)
      gather ??= setTimeout(flush, GATHER_MS)
      if (hint.type === 'rankings.changed') {
        rankings.add(hint.id)
        voters.add(hint.id)
      }
      if (hint.type === 'order.changed') orders.trigger()
      if (hint.type !== 'photo.changed' && hint.type !== 'photo.deleted') return
      photos.add(hint.id)
      folders.trigger()
      usage.trigger()
      flights.trigger()
    },
    // Hints may have been lost. Everything is read again, but after the first screen, which that would delay.
    onOpen() {
      cancelRereading()
      const isFirst = !isFirstScreenComplete.get()
      cancelRereading = whenFirstScreenIsComplete(() => reread(isFirst))
    },
    onRejected: () => void client.invalidateQueries({ queryKey: userQuery.queryKey }),
    onState: handlers.onState,
  })
  return () => {
    clearTimeout(gather)
    cancelRereading()
    clearTimeout(rereading)
    photos.stop()
    folders.stop()
    usage.stop()
    flights.stop()
    rankings.stop()
    voters.stop()
    orders.stop()
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
