import { tooManyRequests, unavailable } from '../http/errors.ts'

export interface LimiterOptions {
  /** Weight that may run at the same time. Unbounded by default. */
  total?: number
  /** Pieces of work of one key that may run at the same time. Unbounded by default. */
  perKey?: number
  /** Of the pieces that wait, one of the key with the fewest running ones is the next. By default the first one is. */
  fewestRunningFirst?: boolean
  /** Pieces that may wait; more are rejected with 503. Unbounded by default. */
  maxWaiting?: number
  /** Pieces of one key that may wait; more are rejected with 429. Unbounded by default. */
  maxWaitingPerKey?: number
  /** Name of the limit per key, in metrics and logs. */
  limit?: string
  /** The sentences of these rejections, for users. */
  messages?: { tooMany?: string; tooManyOfKey?: string }
}

export interface Work {
  /** For example the id of a user. */
  key?: number | string
  /** Default: 1. */
  weight?: number
}

export interface Limiter {
  /**
   * Waits until the work may run; resolves with the function that ends it, which may be called more than once.
   * @throws AppError 429 when too many of the key wait, 503 when too many wait in all
   */
  acquire(work?: Work): Promise<() => void>
  /** Runs `task` within the limits. @throws as `acquire`, and what `task` throws */
  run<T>(work: Work, task: () => Promise<T>): Promise<T>
}

interface Waiting {
  key: number | string | undefined
  weight: number
  start(): void
}

/**
 * Bounds how much runs at the same time, in all and for each key. Further work waits and starts in order of arrival, unless
 * `fewestRunningFirst` is set; a key at its own limit does not hold up other keys. Heavy work is not overtaken by lighter work.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { total = Infinity, perKey = Infinity, maxWaiting = Infinity, maxWaitingPerKey = Infinity } = options
  const { messages, limit = 'concurrent-requests', fewestRunningFirst = false } = options
  const runningOf = new Map<number | string, number>()
  let running = 0
  let waiting: Waiting[] = []

  const countOf = (key: number | string | undefined) => (key === undefined ? 0 : (runningOf.get(key) ?? 0))
  const hasRoom = (key: number | string | undefined) => countOf(key) < perKey

  function begin(key: number | string | undefined, weight: number): () => void {
    running += weight
    if (key !== undefined) runningOf.set(key, (runningOf.get(key) ?? 0) + 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      running -= weight
      if (key !== undefined) release(key)
      startWaiting()
    }
  }

  function release(key: number | string): void {
    const rest = (runningOf.get(key) ?? 1) - 1
    if (rest > 0) runningOf.set(key, rest)
    else runningOf.delete(key)
  }

  function findNext(): Waiting | undefined {
    if (!fewestRunningFirst) return waiting.find(({ key }) => hasRoom(key))
    // The sort is stable.
    return waiting.filter(({ key }) => hasRoom(key)).sort((a, b) => countOf(a.key) - countOf(b.key))[0]
  }

  function startWaiting(): void {
    for (;;) {
      const next = findNext()
      if (!next || running + next.weight > total) return
      waiting = waiting.filter((entry) => entry !== next)
      next.start()
    }
  }

  function rejectWhenFull(key: number | string | undefined): void {
    if (key !== undefined && waiting.filter((entry) => entry.key === key).length >= maxWaitingPerKey) {
      throw tooManyRequests(messages?.tooManyOfKey ?? 'Too many requests at once. Please wait a moment.', 1, limit)
    }
    if (waiting.length >= maxWaiting) throw unavailable(messages?.tooMany, 1)
  }

  async function acquire({ key, weight = 1 }: Work = {}): Promise<() => void> {
    const mayStart = hasRoom(key) && running + weight <= total && !waiting.some((entry) => hasRoom(entry.key))
    if (mayStart) return begin(key, weight)
    rejectWhenFull(key)
    const { promise, resolve } = Promise.withResolvers<() => void>()
    waiting.push({ key, weight, start: () => resolve(begin(key, weight)) })
    return promise
  }

  return {
    acquire,
    async run(work, task) {
      const end = await acquire(work)
      try {
        return await task()
      } finally {
        end()
      }
    },
  }
}
