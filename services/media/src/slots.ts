import { unavailable } from '@skyfolio/kit'

export interface Slots {
  /** Waits for a slot and gives the function that frees it. @throws AppError 503 after too long a wait */
  acquire(key: number): Promise<() => void>
}

interface Waiting {
  key: number
  start(free: () => void): void
}

/** Bounds how much goes on at the same time: `total` in all and `perKey` for each key. First come, first served. */
export function createSlots(total: number, perKey: number, waitMs = 30_000): Slots {
  const used = new Map<number, number>()
  let waiting: Waiting[] = []
  let free = total

  function take(key: number): () => void {
    free -= 1
    used.set(key, (used.get(key) ?? 0) + 1)
    return () => {
      free += 1
      const left = (used.get(key) ?? 0) - 1
      if (left > 0) used.set(key, left)
      else used.delete(key)
      startNext()
    }
  }

  function hasRoom(key: number): boolean {
    return free > 0 && (used.get(key) ?? 0) < perKey
  }

  function startNext(): void {
    const next = waiting.find(({ key }) => hasRoom(key))
    if (!next) return
    waiting = waiting.filter((one) => one !== next)
    next.start(take(next.key))
  }

  return {
    async acquire(key) {
      if (hasRoom(key)) return take(key)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const entry: Waiting = { key, start: resolve }
      waiting.push(entry)
      const timer = setTimeout(() => {
        waiting = waiting.filter((one) => one !== entry)
        reject(unavailable('Too many uploads are running. Please try again in a moment.'))
      }, waitMs)
      return promise.finally(() => clearTimeout(timer))
    },
  }
}
