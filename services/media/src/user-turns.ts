import { tooManyRequests } from '@skyfolio/kit'

export interface UserTurns {
  /** Waits for a turn of the user's and gives the function that ends it. @throws AppError 429 when too many wait */
  take(userId: number): Promise<() => void>
}

/**
 * Bounds how many dear reads of one user run at the same time; further ones wait. So nobody's lists take the database
 * from all others.
 */
export function createUserTurns(perUser = 3, mostWaiting = 50): UserTurns {
  const users = new Map<number, { running: number; waiting: (() => void)[] }>()

  function end(userId: number): void {
    const user = users.get(userId)
    if (!user) return
    // The turn goes on to the next one, so the number of running ones stays.
    const next = user.waiting.shift()
    if (next) next()
    else user.running -= 1
    if (user.running === 0) users.delete(userId)
  }

  function once(userId: number): () => void {
    let ended = false
    return () => {
      if (!ended) end(userId)
      ended = true
    }
  }

  return {
    async take(userId) {
      const user = users.get(userId) ?? { running: 0, waiting: [] }
      users.set(userId, user)
      if (user.running < perUser) {
        user.running += 1
        return once(userId)
      }
      if (user.waiting.length >= mostWaiting) {
        throw tooManyRequests('You are reading too many lists at once. Please wait a moment.', 1)
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      user.waiting.push(resolve)
      await promise
      return once(userId)
    },
  }
}
