export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** The sandbox's time: the machine's clock and an offset. Everything that happens to an order follows it. */
export class Clock {
  offsetMs = 0

  now(): number {
    return Date.now() + this.offsetMs
  }
}
