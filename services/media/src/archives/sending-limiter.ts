import { tooManyRequests, unavailable } from '@skyfolio/kit'

/** Download managers request several ranges at the same time. */
const ARCHIVES_PER_USER = 4
/** Each one has some connections to the store. */
const ARCHIVES = 32
const RETRY_AFTER_SECONDS = 30

/** Bounds how many archives this process sends at the same time. */
export function createSendingLimiter() {
  const sending = new Map<number, number>()
  let total = 0
  return {
    /** Returns the function that ends the sending. @throws AppError 429, 503 */
    acquire(userId: number): () => void {
      const own = sending.get(userId) ?? 0
      if (own >= ARCHIVES_PER_USER) {
        const message = 'This archive is being downloaded several times already.'
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
