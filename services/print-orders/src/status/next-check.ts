import { POLLED_FOR_DAYS } from './due-orders.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const SHORTEST_MS = MINUTE / 2
const SHORTEST_WHEN_READY_MS = 5 * MINUTE
const LONGEST_MS = 15 * MINUTE
/** From this age on, and what the pause is then. */
const OLD_MS = 2 * DAY
const LONGEST_WHEN_OLD_MS = 60 * MINUTE
/** The pause is a twentieth of the age: 30 seconds for 10 minutes, 15 minutes after 5 hours. */
const AGE_PER_PAUSE = 20
/** Orders that were placed together are checked at different times later. */
const JITTER = 0.1

interface PolledOrder {
  ageMs: number
  orderStatus: string
}

/**
 * In how many milliseconds an order is checked next: the older it is, the later. Null when it is not checked any more: it
 * has ended or is 30 days old.
 * @param random from 0 to below 1
 */
export function nextCheckIn({ ageMs, orderStatus }: PolledOrder, random = Math.random()): number | null {
  if (orderStatus === 'picked_up' || orderStatus === 'cancelled' || ageMs >= POLLED_FOR_DAYS * DAY) return null
  return Math.round(pauseOf(ageMs, orderStatus) * (1 + JITTER * (2 * random - 1)))
}

function pauseOf(age: number, orderStatus: string): number {
  if (age >= OLD_MS) return LONGEST_WHEN_OLD_MS
  const shortest = orderStatus === 'ready' ? SHORTEST_WHEN_READY_MS : SHORTEST_MS
  return Math.min(Math.max(age / AGE_PER_PAUSE, shortest), LONGEST_MS)
}
