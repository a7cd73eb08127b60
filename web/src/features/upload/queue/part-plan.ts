import type { PartLimits } from './items.ts'

/** A part takes about this long: a broken connection wastes no more. */
const PART_SECONDS = 8
/** So much is on the way at the same time: it is what a break costs. Less over a connection that breaks often. */
const WINDOW_SECONDS = 12
const BROKEN_WINDOW_SECONDS = 5
/** Bytes on the way, and in upload sessions that are opened ahead, while the rate is not known. */
const FIRST_WINDOW = 16 * 1024 * 1024
/** A rate that changes by less is not written. */
const CHANGE = 0.2
/** The server's limit for the parts of a file. */
export const MAX_PARTS = 400

export interface RateMemory {
  read(): number | null
  write(bytesPerSecond: number): void
}

/** Sizes of parts, and how much is sent at the same time, by what the connection carries. */
export class PartPlan {
  readonly transferRate = new TransferRate()
  /** A part, or another request, did not arrive in this visit. */
  hasBroken = false
  readonly #memory: RateMemory
  #remembered: number | null

  constructor(memory: RateMemory) {
    this.#memory = memory
    this.#remembered = memory.read()
  }

  /** The size of the parts of a new upload session. */
  partBytes(fileBytes: number, { partBytes, minPartBytes, maxPartBytes }: PartLimits): number {
    const rate = this.#rate
    const wanted = rate === null ? partBytes : Math.round(rate * PART_SECONDS)
    const size = this.hasBroken ? minPartBytes : Math.min(Math.max(wanted, minPartBytes), maxPartBytes)
    return Math.max(size, Math.ceil(fileBytes / MAX_PARTS))
  }

  /** How many bytes may be on the way at the same time. */
  get window(): number {
    const rate = this.#rate
    if (rate === null) return FIRST_WINDOW
    return rate * (this.hasBroken ? BROKEN_WINDOW_SECONDS : WINDOW_SECONDS)
  }

  stored(): void {
    const rate = this.transferRate.bytesPerSecond()
    if (!rate || Math.abs(rate / (this.#remembered ?? 1) - 1) < CHANGE) return
    this.#remembered = Math.round(rate)
    this.#memory.write(this.#remembered)
  }

  get #rate(): number | null {
    return this.transferRate.bytesPerSecond() ?? this.#remembered
  }
}

/** The rate is an average over this time. */
const AVERAGED_MS = 15_000
/** A shorter sample would be too inaccurate. */
const MIN_SAMPLE_MS = 3_000

/** Bytes per second over the last 15 seconds of sending. */
export class TransferRate {
  #samples: { at: number; bytes: number }[] = []

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
    const keep = this.#samples.findIndex(({ at }) => now - at <= AVERAGED_MS)
    this.#samples = keep === -1 ? [] : this.#samples.slice(keep)
  }
}

/** How slowly the steady rate follows: after this time it has two thirds of a change. */
const FOLLOWED_IN_MS = 30_000

/** Follows a rate that changes, as an exponential moving average. */
export class SteadyRate {
  #rate: number | null = null
  #at = 0

  follow(rate: number, now: number = performance.now()): number {
    // A pause counts no more than a sample.
    const elapsed = Math.min(now - this.#at, MIN_SAMPLE_MS)
    const weight = this.#rate === null ? 1 : 1 - Math.exp(-elapsed / FOLLOWED_IN_MS)
    this.#at = now
    this.#rate = (this.#rate ?? rate) * (1 - weight) + rate * weight
    return this.#rate
  }
}
