import { within } from '@skyfolio/kit'

export interface CircuitOptions {
  /** Consecutive failures after which the circuit opens. */
  failures: number
  /** How long it stays open at first; doubled with each failed probe, up to `openMaxMs`. */
  openMs: number
  openMaxMs: number
}

/** The permission to make one attempt, whose result must be reported. */
export interface Admission {
  succeeded(): void
  failed(): void
  /** Nothing was learned about the partner. */
  abandoned(): void
}

export interface CircuitBreaker {
  /** Whether it is open and an attempt was denied lately: without traffic nobody knows how the partner is. */
  isDenying(): boolean
  /** Milliseconds until a probe is allowed; 0 while the circuit is closed. */
  retryAfterMs(): number
  /**
   * Admits an attempt. While the circuit is open, the first one after the pause is the probe; further ones wait for its
   * result until `deadline`. With `mayProbe: false` the attempt is not admitted then. Null: not admitted.
   */
  enter(deadline: number, options?: { mayProbe: boolean }): Promise<Admission | null>
}

/** Longer than the status poller's pause after failures, so that a lasting outage has no gaps. */
const RECENT_MS = 120_000

/** Stops sending requests to a partner that fails, and probes with one request whether it works again. */
export function createCircuitBreaker({ failures: limit, openMs, openMaxMs }: CircuitOptions): CircuitBreaker {
  let failures = 0
  let pauseMs = openMs
  let openUntil: number | null = null
  let probe: PromiseWithResolvers<void> | null = null
  let deniedAt = Number.NEGATIVE_INFINITY

  function close(): void {
    failures = 0
    pauseMs = openMs
    openUntil = null
  }

  function open(): void {
    openUntil = performance.now() + pauseMs
    pauseMs = Math.min(pauseMs * 2, openMaxMs)
  }

  function deny(): null {
    deniedAt = performance.now()
    return null
  }

  const normal: Admission = {
    succeeded: close,
    failed() {
      failures += 1
      if (openUntil === null && failures >= limit) open()
    },
    abandoned() {},
  }

  function startProbe(): Admission {
    const own = Promise.withResolvers<void>()
    probe = own
    const end = (effect: () => void) => () => {
      effect()
      probe = null
      own.resolve()
    }
    return { succeeded: end(close), failed: end(open), abandoned: end(() => {}) }
  }

  return {
    isDenying: () => openUntil !== null && performance.now() - deniedAt < RECENT_MS,
    retryAfterMs: () => (openUntil === null ? 0 : Math.max(0, openUntil - performance.now())),
    async enter(deadline, { mayProbe } = { mayProbe: true }) {
      while (openUntil !== null) {
        if (!mayProbe) return deny()
        if (!probe) return performance.now() < openUntil ? deny() : startProbe()
        const isInTime = await within(deadline - performance.now(), probe.promise).then(
          () => true,
          () => false,
        )
        if (!isInTime) return deny()
      }
      return normal
    },
  }
}
