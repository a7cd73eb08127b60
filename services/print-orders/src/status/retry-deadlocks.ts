import { isDeadlock } from '@skyfolio/kit'

const ATTEMPTS = 5

/** Repeats a transaction that the database ended to resolve a deadlock: the other one has its locks meanwhile. */
export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}
