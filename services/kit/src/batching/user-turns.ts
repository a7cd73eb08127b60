import { tooManyRequests, unavailable } from '../http/errors.ts'

export interface UserTurns {
  /**
   * Waits for a turn of the user's and gives the function that ends it.
   * @throws AppError 429 when too many of this user wait, 503 when too many of all do
   */
  take(userId: number): Promise<() => void>
  /** Does the work in a turn of the user's. */
  run<T>(userId: number, work: () => Promise<T>): Promise<T>
}

export interface UserTurnsOptions {
  /** Turns of one user at the same time. */
  perUser: number
  /** Turns of all users together; bounded by `perUser` alone when it is not given. */
  inAll?: number
  /** Of one user; ten times as many of all. */
  mostWaiting?: number
}

interface Waiting {
  userId: number
  begin(): void
}

/**
 * Bounds how many dear pieces of work run at the same time, for one user and in all; further ones wait. Who asks for
 * much waits for the own turns only: a turn that ends goes to the first who may have it.
 */
export function createUserTurns({ perUser, inAll = Infinity, mostWaiting = 50 }: UserTurnsOptions): UserTurns {
  const runningOf = new Map<number, number>()
  let running = 0
  let waiting: Waiting[] = []

  const mayBegin = (userId: number) => running < inAll && (runningOf.get(userId) ?? 0) < perUser

  function begin(userId: number): void {
    running += 1
    runningOf.set(userId, (runningOf.get(userId) ?? 0) + 1)
  }

  function end(userId: number): void {
    running -= 1
    const rest = (runningOf.get(userId) ?? 1) - 1
    if (rest > 0) runningOf.set(userId, rest)
    else runningOf.delete(userId)
    const next = waiting.find((one) => mayBegin(one.userId))
    if (!next) return
    waiting = waiting.filter((one) => one !== next)
    begin(next.userId)
    next.begin()
  }

  function once(userId: number): () => void {
    let ended = false
    return () => {
      if (!ended) end(userId)
      ended = true
    }
  }

  async function take(userId: number): Promise<() => void> {
    if (mayBegin(userId)) {
      begin(userId)
      return once(userId)
    }
    if (waiting.filter((one) => one.userId === userId).length >= mostWaiting) {
      throw tooManyRequests('You are reading too many lists at once. Please wait a moment.', 1)
    }
    if (waiting.length >= 10 * mostWaiting) throw unavailable(undefined, 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ userId, begin: resolve })
    await promise
    return once(userId)
  }

  return {
    take,
    async run(userId, work) {
      const finish = await take(userId)
      try {
        return await work()
      } finally {
        finish()
      }
    },
  }
}
