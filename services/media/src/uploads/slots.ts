import { metrics, unavailable } from '@skyfolio/kit'

/** Who wants a slot, and what its upload brings. */
export interface Stream {
  /** Its user. */
  key: number
  /** Bytes that have come so far. */
  bytes(): number
  /** Nothing comes because we do not read, or because all has come: it is not the client that is slow. */
  waitsForUs(): boolean
  /** Ends it, since others wait. Its slot must then be freed soon. */
  cutOff(): void
}

export interface Slots {
  /** Waits for a slot and gives the function that frees it. @throws AppError 503 after too long a wait */
  acquire(stream: Stream): Promise<() => void>
}

interface Holder {
  stream: Stream
  since: number
  bytesBefore: number
  cut: boolean
}

interface Waiting {
  stream: Stream
  since: number
  start(free: () => void): void
}

/** Bytes a second from which on a stream keeps its slot: a usual photo has then come within two minutes. */
const FAIR_RATE = 256 * 1024

const streams = metrics.gauge('skyfolio_upload_streams', 'Uploads that are received now, or wait for their turn', [
  'state',
])

/**
 * Bounds how much goes on at the same time: `total` in all and `perKey` for each key. A free slot goes to the key that
 * has the fewest, then to who came first. Who waits longer than `patienceMs` gets a slot of a key that has at least two
 * more: its slowest stream is cut off, unless it flows well. So a few users cannot keep everybody else out, and slow
 * streams of users with equal shares do not push each other out without end.
 */
export function createSlots(total: number, perKey: number, { waitMs = 30_000, patienceMs = 5_000 } = {}): Slots {
  const holders = new Set<Holder>()
  let waiting: Waiting[] = []
  let relief: NodeJS.Timeout | undefined

  metrics.onScrape('upload streams', () => [
    [streams, holders.size, { state: 'running' }],
    [streams, waiting.length, { state: 'waiting' }],
  ])

  function used(key: number): number {
    return [...holders].filter(({ stream }) => stream.key === key).length
  }

  function take(stream: Stream): () => void {
    const holder = { stream, since: performance.now(), bytesBefore: stream.bytes(), cut: false }
    holders.add(holder)
    return () => {
      if (holders.delete(holder)) startNext()
    }
  }

  /** Who may have the next slot; a sort keeps the order of those that are equal. */
  function nextWaiting(): Waiting[] {
    const may = waiting.filter(({ stream }) => used(stream.key) < perKey)
    return may.sort((a, b) => used(a.stream.key) - used(b.stream.key))
  }

  function startNext(): void {
    const [next] = nextWaiting()
    if (!next || holders.size >= total) return
    leave(next)
    next.start(take(next.stream))
  }

  function rate({ stream, since, bytesBefore }: Holder): number {
    return ((stream.bytes() - bytesBefore) * 1000) / (performance.now() - since)
  }

  function mayLose(holder: Holder): boolean {
    if (performance.now() - holder.since < patienceMs) return false
    return !holder.stream.waitsForUs() && rate(holder) < FAIR_RATE
  }

  /** Cuts off one stream at a time, until its slot is free. */
  function relieve(): void {
    const waiter = nextWaiting().find(({ since }) => performance.now() - since >= patienceMs)
    if (!waiter || [...holders].some(({ cut }) => cut)) return
    const share = used(waiter.stream.key) + 1
    const [victim] = [...holders]
      .filter((holder) => used(holder.stream.key) > share && mayLose(holder))
      .sort((a, b) => used(b.stream.key) - used(a.stream.key) || rate(a) - rate(b))
    if (!victim) return
    victim.cut = true
    victim.stream.cutOff()
  }

  function leave(entry: Waiting): void {
    waiting = waiting.filter((one) => one !== entry)
    if (waiting.length > 0) return
    clearInterval(relief)
    relief = undefined
  }

  return {
    async acquire(stream) {
      if (holders.size < total && used(stream.key) < perKey) return take(stream)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const entry: Waiting = { stream, since: performance.now(), start: resolve }
      waiting.push(entry)
      relief ??= setInterval(relieve, patienceMs / 5)
      const timer = setTimeout(() => {
        leave(entry)
        reject(unavailable('Too many uploads are running. Please try again in a moment.'))
      }, waitMs)
      return promise.finally(() => clearTimeout(timer))
    },
  }
}
