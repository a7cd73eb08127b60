import type { BatchResult } from './request-status.ts'

/** How many full batches the partner must accept before a larger one is tried. */
const ACCEPTED_BEFORE_GROWTH = 100

/** How many orders one request names. How many the partner takes is not known, so it is learned. */
export interface BatchSize {
  current(): number
  /** Evaluates the result of a batch. */
  learn(size: number, result: BatchResult): void
}

export function createBatchSize(configured: number): BatchSize {
  let current = configured
  let accepted = 0
  return {
    current: () => current,
    learn(size, { reported, rejected, withoutResponse }) {
      const largest = Math.max(0, ...reported.map(({ orders }) => orders.length))
      // Rejected as a whole and not because of single orders.
      if (rejected.length === 0 && withoutResponse.length === 0 && largest < size) {
        current = largest
        accepted = 0
        return
      }
      if (largest === current) accepted += 1
      if (accepted < ACCEPTED_BEFORE_GROWTH) return
      current = Math.min(current * 2, configured)
      accepted = 0
    },
  }
}
