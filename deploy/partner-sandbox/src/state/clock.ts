export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** The sandbox's time: the machine's clock and an offset. Everything that happens to an order follows it. */
export class Clock {
  #offsetMs = 0
  readonly #listeners: (() => void)[] = []

  get offsetMs(): number {
    return this.#offsetMs
  }

  now(): number {
    return Date.now() + this.#offsetMs
  }

  /** @throws RangeError when the time is out of the range of dates */
  setOffset(ms: number): void {
    if (Math.abs(ms) > MAX_OFFSET_MS) throw new RangeError('The clock can be set at most 10 years from now.')
    this.#offsetMs = Math.round(ms)
    for (const listener of this.#listeners) listener()
  }

  advance(ms: number): void {
    this.setOffset(this.#offsetMs + ms)
  }

  setTo(time: number): void {
    this.setOffset(time - Date.now())
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }
}

const MAX_OFFSET_MS = 10 * 366 * 24 * HOUR
