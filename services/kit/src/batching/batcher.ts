import { unavailable } from '../http/errors.ts'

export interface BatcherOptions<Item, Result> {
  /** Processes a batch; returns one result for each item, in their order. */
  run(items: Item[]): Promise<Result[]>
  /** Items with the same key are never in two batches at once, nor twice in one, and keep their order of arrival. */
  keyOf?(item: Item): string
  /** The weight of an item; without it batches are bounded by their number of items alone. */
  weightOf?(item: Item): number
  maxInFlight: number
  maxBatch: number
  /** A batch ends before the item that would exceed this; a single item may have any weight. */
  maxWeight?: number
  /** Items that may be queued or in flight; more are rejected with 503. */
  maxQueued: number
  /** Called for each item that is rejected because the queue is full. */
  onReject?(): void
  /** Called when a batch ends: its size, and how long its first item waited for its start, in milliseconds. */
  observe?(batch: { size: number; waitMs: number }): void
}

export interface Batcher<Item, Result> {
  /** Resolves when the item's batch is done. Throws what `run` throws, or 503 when the queue is full. */
  submit(item: Item): Promise<Result>
  /** Items queued or in flight. */
  queued(): number
}

interface Entry<Item, Result> {
  item: Item
  key: string | undefined
  arrived: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Groups items into batches without a timer: a batch forms while the previous ones run, so an idle service responds
 * at once and a busy one does more with each run.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  type E = Entry<Item, Result>
  let ready: E[] = []
  // Keys that are ready or in flight, each with the entries that wait for it.
  const busy = new Map<string, E[]>()
  let inFlight = 0
  let queued = 0
  let isScheduled = false

  function submit(item: Item): Promise<Result> {
    if (queued >= options.maxQueued) {
      options.onReject?.()
      return Promise.reject(unavailable(undefined, 1))
    }
    queued += 1
    return new Promise((resolve, reject) => {
      enqueue({ item, key: options.keyOf?.(item), arrived: performance.now(), resolve, reject })
    })
  }

  function enqueue(entry: E): void {
    const followers = entry.key === undefined ? undefined : busy.get(entry.key)
    if (followers) {
      followers.push(entry)
      return
    }
    if (entry.key !== undefined) busy.set(entry.key, [])
    ready.push(entry)
    schedule()
  }

  // After the requests read in this iteration of the event loop, so that they share a batch.
  function schedule(): void {
    if (isScheduled || inFlight >= options.maxInFlight) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (ready.length > 0 && inFlight < options.maxInFlight) void runNext()
      if (ready.length > 0) schedule()
    })
  }

  function nextSize(): number {
    const { weightOf, maxWeight = Number.POSITIVE_INFINITY, maxBatch } = options
    if (!weightOf) return maxBatch
    let weight = 0
    const end = ready.findIndex(({ item }, index) => {
      weight += weightOf(item)
      return index === maxBatch || (index > 0 && weight > maxWeight)
    })
    return end === -1 ? ready.length : end
  }

  async function runNext(): Promise<void> {
    const size = nextSize()
    const batch = ready.slice(0, size)
    ready = ready.slice(size)
    inFlight += 1
    const waitMs = performance.now() - (batch[0]?.arrived ?? 0)
    try {
      const results = await options.run(batch.map((entry) => entry.item))
      if (results.length !== batch.length) throw new Error(`${results.length} results for ${batch.length} items`)
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    inFlight -= 1
    queued -= batch.length
    options.observe?.({ size: batch.length, waitMs })
    for (const entry of batch) release(entry.key)
    if (ready.length > 0) schedule()
  }

  function release(key: string | undefined): void {
    if (key === undefined) return
    const next = busy.get(key)?.shift()
    if (next) ready.push(next)
    else busy.delete(key)
  }

  return { submit, queued: () => queued }
}
