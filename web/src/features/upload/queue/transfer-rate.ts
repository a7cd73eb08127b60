const WINDOW_MS = 15_000
/** A shorter sample would be too inaccurate. */
const MIN_SAMPLE_MS = 3_000

/** Bytes per second over the last 15 seconds of sending. */
export class TransferRate {
  #samples: { at: number; bytes: number }[] = []

  /** Bytes were sent just now. */
  record(bytes: number, now: number = performance.now()): void {
    this.#samples.push({ at: now, bytes })
    this.#forget(now)
  }

  /** Sending has stopped: later bytes belong to a new measurement. */
  reset(): void {
    this.#samples = []
  }

  /** Bytes per second; null while it is too early to say. */
  bytesPerSecond(now: number = performance.now()): number | null {
    this.#forget(now)
    const first = this.#samples[0]
    if (!first || now - first.at < MIN_SAMPLE_MS) return null
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0)
    return (bytes / (now - first.at)) * 1000
  }

  #forget(now: number): void {
    const keep = this.#samples.findIndex(({ at }) => now - at <= WINDOW_MS)
    this.#samples = keep === -1 ? [] : this.#samples.slice(keep)
  }
}
