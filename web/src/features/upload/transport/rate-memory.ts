import type { RateMemory } from '../queue/part-plan.ts'

const KEY = 'upload-rate'

/** The rate of earlier visits of this browser; private windows may have no storage. */
export const rateMemory: RateMemory = {
  read() {
    try {
      return Number(localStorage.getItem(KEY)) || null
    } catch {
      return null
    }
  },
  write(bytesPerSecond) {
    try {
      localStorage.setItem(KEY, String(bytesPerSecond))
    } catch {
      // The next visit starts with the recommended size.
    }
  },
}
