import { setTimeout as delay } from 'node:timers/promises'

/** One request of an open load. */
export interface Arrival<Outcome> {
  outcome: Outcome
  /** From the time at which it was due, so that a generator that lags hides nothing. */
  milliseconds: number
}

/**
 * Starts `perSecond` requests a second for so many seconds, whether or not earlier ones have ended, and waits for all.
 * `send` must not reject.
 */
export async function constantArrivals<Outcome>(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  send: (number: number) => Promise<Outcome>,
): Promise<Arrival<Outcome>[]> {
  const start = performance.now()
  const sent: Promise<Arrival<Outcome>>[] = []
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const due = start + (number * 1000) / perSecond
    const early = due - performance.now()
    if (early > 0) await delay(early)
    sent.push(send(number).then((outcome) => ({ outcome, milliseconds: performance.now() - due })))
  }
  return Promise.all(sent)
}
