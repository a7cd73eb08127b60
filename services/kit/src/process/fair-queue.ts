import { tooManyRequests, unavailable } from '../http/errors.ts'

type Key = number | string

export interface FairQueueOptions {
  /** Weight that runs at the same time. Unbounded by default. */
  total?: number
  /** Of these, the weight of one key. Unbounded by default; `LARGEST_SHARE` is what one site or user usually may have. */
  perKey?: number
  /** Pieces of work that may wait; more are rejected: with 429 when their key is at its own limit, else with 503. Unbounded by default. */
  maxWaiting?: number
  /** Of these, the pieces of one key; more are rejected with 429. Unbounded by default. */
  maxWaitingPerKey?: number
  /** After so many milliseconds of waiting work is rejected with 503. It waits as long as it takes by default. */
  waitMs?: number
  /**
   * Work that has waited for so many milliseconds displaces work of another key, see `Displaceable`. 0: at once, also work that
   * is not to wait. Never by default.
   */
  displaceAfterMs?: number
  /** Names of the limit of a key and of that of all keys together, in metrics and logs. */
  limit?: string
  limitOfAll?: string
  /** The sentences of the rejections, for users. */
  messages?: { tooMany?: string; tooManyOfKey?: string }
  /** Of the rejections, in seconds; default: 1. */
  retryAfter?: number
}

/**
 * Work that may be ended in favour of a key that has at least two fewer: of the key that has the most, the piece with the lowest
 * rank. One piece at a time is cut off, until it has ended.
 */
export interface Displaceable {
  /** Null: this one is not cut off. */
  rank(): number | null
  cutOff(): void
}

export interface Work {
  /** On whose account it runs, for example a user's id; several, if it counts for each of them. Turns are those of the first. */
  key?: Key | readonly Key[]
  /** Default: 1. */
  weight?: number
  displaceable?: Displaceable
}

export interface FairQueue {
  /**
   * Waits until the work may run; resolves with the function that ends it, which may be called more than once.
   * @throws AppError 429 when too many of the key wait; 503 when too many wait in all, or after too long; the reason of the signal
   */
  acquire(work?: Work & { signal?: AbortSignal }): Promise<() => void>
  /** The same without waiting: null when the work may not run at once. */
  tryAcquire(work?: Work): (() => void) | null
  /** Runs `task` within the limits. @throws as `acquire`, and what `task` throws */
  run<T>(work: Work, task: () => Promise<T>): Promise<T>
  /** The weight that runs, and the number of pieces that wait. */
  running(): number
  waiting(): number
}

interface Running {
  piece: Displaceable
  key: Key | undefined
  isCutOff: boolean
}

interface Waiting {
  keys: readonly Key[]
  weight: number
  since: number
  start(): void
}

const TOO_MANY_OF_KEY = 'Too many requests at once. Please wait a moment.'

/** Of requests that read or change much of what a user has: their limits have one name and sentence in all services. */
export const LISTS_OF_USER = {
  limit: 'lists-of-user',
  messages: { tooManyOfKey: 'You are reading too many lists at once. Please wait a moment.' },
}

/** The share of what there is that one site, or one user, may have. */
export const LARGEST_SHARE = 1 / 4

/**
 * Bounds how much runs at the same time, in all and for each key. Further work waits. The next piece is one of the key with the
 * fewest running ones; keys with equally many take turns, and the pieces of a key start in order of arrival. A key at its own limit
 * does not hold up other keys. Heavy work that waits for the total is not overtaken by lighter work.
 */
export function createFairQueue(options: FairQueueOptions = {}): FairQueue {
  const { total = Infinity, maxWaiting = Infinity, waitMs, displaceAfterMs, messages, retryAfter = 1 } = options
  const running = createCounts(options.perKey)
  const places = createCounts(options.maxWaitingPerKey)
  /** By first key, in the order of their turns. */
  const waiting = new Map<Key | undefined, Set<Waiting>>()
  const displaceable = new Set<Running>()
  let displacement: NodeJS.Timeout | undefined
  /** Whether there is a piece that waits although its keys have room. */
  let waitsForTotal = false

  const fits = (weight: number) => running.sum() + weight <= total
  const tooMany = () => unavailable(messages?.tooMany, retryAfter, options.limitOfAll)

  function start(keys: readonly Key[], weight: number, piece?: Displaceable): () => void {
    running.add(keys, weight)
    const entry = piece && { piece, key: keys[0], isCutOff: false }
    if (entry) displaceable.add(entry)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      running.add(keys, -weight)
      if (entry) displaceable.delete(entry)
      startWaiting()
    }
  }

  /** The next piece whose keys have room, whether or not there is room in all; of those that wait since then, if given. */
  function findNext(since = Infinity): Waiting | undefined {
    let next: Waiting | undefined
    for (const [turn, pieces] of waiting) {
      if (turn !== undefined && !running.haveRoom([turn], 1)) continue
      for (const piece of pieces) {
        if (piece.since > since || !running.haveRoom(piece.keys, piece.weight)) continue
        if (!next || running.of(piece.keys[0]) < running.of(next.keys[0])) next = piece
        break
      }
    }
    return next
  }

  function startWaiting(): void {
    let next = findNext()
    for (; next && fits(next.weight); next = findNext()) next.start()
    waitsForTotal = next !== undefined
  }

  function enter(piece: Waiting): void {
    const [turn] = piece.keys
    places.add(piece.keys, 1)
    waitsForTotal ||= running.haveRoom(piece.keys, piece.weight)
    waiting.set(turn, (waiting.get(turn) ?? new Set()).add(piece))
    if (displaceAfterMs) displacement ??= setInterval(displaceForOverdue, displaceAfterMs / 5, displaceAfterMs)
  }

  function leave(piece: Waiting): void {
    const [turn] = piece.keys
    const pieces = waiting.get(turn)
    if (!pieces?.delete(piece)) return
    places.add(piece.keys, -1)
    // The next turn of the key comes after those of all others.
    waiting.delete(turn)
    if (pieces.size > 0) waiting.set(turn, pieces)
    if (waiting.size > 0) return
    clearInterval(displacement)
    displacement = undefined
  }

  function displaceForOverdue(afterMs: number): void {
    const overdue = findNext(performance.now() - afterMs)
    if (overdue) displaceFor(overdue.keys[0])
  }

  function displaceFor(key: Key | undefined): void {
    let chosen: { entry: Running; count: number; rank: number } | undefined
    for (const entry of displaceable) {
      if (entry.isCutOff) return
      const count = running.of(entry.key)
      if (count <= running.of(key) + 1 || count < (chosen?.count ?? 0)) continue
      const rank = entry.piece.rank()
      if (rank !== null && (!chosen || count > chosen.count || rank < chosen.rank)) chosen = { entry, count, rank }
    }
    if (!chosen) return
    chosen.entry.isCutOff = true
    chosen.entry.piece.cutOff()
  }

  function tryAcquire({ key = [], weight = 1, displaceable: piece }: Work = {}): (() => void) | null {
    const keys = keysOf(key)
    // Whoever waits and whose keys have room comes first.
    if (waitsForTotal || !running.haveRoom(keys, weight)) return null
    if (!fits(weight) && displaceAfterMs === 0) displaceFor(keys[0])
    return fits(weight) ? start(keys, weight, piece) : null
  }

  function rejectWhenFull(keys: readonly Key[], weight: number): void {
    const isFull = places.sum() >= maxWaiting
    if (!places.haveRoom(keys, 1) || (isFull && !running.haveRoom(keys, weight))) {
      const { limit = 'concurrent-requests' } = options
      throw tooManyRequests(messages?.tooManyOfKey ?? TOO_MANY_OF_KEY, retryAfter, limit)
    }
    if (isFull) throw tooMany()
  }

  async function acquire(work: Work & { signal?: AbortSignal } = {}): Promise<() => void> {
    const { key = [], weight = 1, signal } = work
    const end = tryAcquire(work)
    if (end) return end
    const keys = keysOf(key)
    rejectWhenFull(keys, weight)
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const piece: Waiting = {
      keys,
      weight,
      since: performance.now(),
      start() {
        leave(piece)
        resolve(start(keys, weight, work.displaceable))
      },
    }
    const giveUp = (reason: unknown) => {
      leave(piece)
      reject(reason)
      startWaiting()
    }
    const onAbort = () => giveUp(signal?.reason)
    const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(tooMany()), waitMs)
    signal?.addEventListener('abort', onAbort)
    enter(piece)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    acquire,
    tryAcquire,
    async run(work, task) {
      const end = await acquire(work)
      try {
        return await task()
      } finally {
        end()
      }
    },
    running: running.sum,
    waiting: places.sum,
  }
}

function keysOf(key: Key | readonly Key[]): readonly Key[] {
  return Array.isArray(key) ? key : [key as Key]
}

/** Weights in all and by key. */
function createCounts(perKey = Infinity) {
  const byKey = new Map<Key | undefined, number>()
  let sum = 0
  const of = (key: Key | undefined) => byKey.get(key) ?? 0
  return {
    of,
    sum: () => sum,
    haveRoom: (keys: readonly Key[], weight: number) => keys.every((key) => of(key) + weight <= perKey),
    add(keys: readonly Key[], weight: number) {
      sum += weight
      for (const key of keys) {
        const rest = of(key) + weight
        if (rest > 0) byKey.set(key, rest)
        else byKey.delete(key)
      }
    },
  }
}
