import { tooManyRequests, unavailable } from '@skyfolio/kit'

/** Download managers request several ranges at the same time. */
const ARCHIVES_PER_USER = 4
/** Each one has some connections to the store. */
const ARCHIVES = 32
const RETRY_AFTER_SECONDS = 30

export interface SendingLimiter {
  /** Returns the function that ends the sending. @throws AppError 429, 503 */
  acquire(userId: number): () => void
}

/** Bounds how many archives this process sends at the same time. */
export function createSendingLimiter(): SendingLimiter {
  const sending = new Map<number, number>()
  let total = 0
  return {
    acquire(userId) {
      const own = sending.get(userId) ?? 0
      if (own >= ARCHIVES_PER_USER) {
        const message = 'You are downloading several archives already. Please wait for one of them.'
        throw tooManyRequests(message, RETRY_AFTER_SECONDS, 'archives-of-user')
      }
      if (total >= ARCHIVES) throw unavailable(undefined, RETRY_AFTER_SECONDS)
      sending.set(userId, own + 1)
      total += 1
      return () => {
        total -= 1
        const left = (sending.get(userId) ?? 1) - 1
        if (left > 0) sending.set(userId, left)
        else sending.delete(userId)
      }
    },
  }
}
