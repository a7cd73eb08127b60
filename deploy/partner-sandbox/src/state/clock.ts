export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

const MAX_OFFSET_MS = 10 * 366 * 24 * HOUR

/** The sandbox's time: the machine's clock and an offset. Everything that happens to an order follows it. */
export class Clock {
  #offsetMs = 0

  get offsetMs(): number {
    return this.#offsetMs
  }

  now(): number {
    return Date.now() + this.#offsetMs
  }

  /** @throws RangeError when the time is out of the range of dates */
  setOffset(ms: number): void {
    if (!(Math.abs(ms) <= MAX_OFFSET_MS)) throw new RangeError('The clock can be set at most 10 years from now.')
    this.#offsetMs = Math.round(ms)
  }
}
