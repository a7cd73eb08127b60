import { setTimeout as delay } from 'node:timers/promises'

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
  isOpen(): boolean
  /** Milliseconds until a probe is allowed; 0 while the circuit is closed. */
  retryAfterMs(): number
  /**
   * Admits an attempt. While the circuit is open, the first one after the pause is the probe; further ones wait for its
   * result until `deadline`. Null: not admitted.
   */
  enter(deadline: number): Promise<Admission | null>
}

/** Stops sending requests to a partner that fails, and probes with one request whether it works again. */
export function createCircuitBreaker({ failures: limit, openMs, openMaxMs }: CircuitOptions): CircuitBreaker {
  let failures = 0
  let pauseMs = openMs
  let openUntil: number | null = null
  let probe: PromiseWithResolvers<void> | null = null

  function close(): void {
    failures = 0
    pauseMs = openMs
    openUntil = null
  }

  function open(): void {
    openUntil = Date.now() + pauseMs
    pauseMs = Math.min(pauseMs * 2, openMaxMs)
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
    isOpen: () => openUntil !== null,
    retryAfterMs: () => (openUntil === null ? 0 : Math.max(0, openUntil - Date.now())),
    async enter(deadline) {
      while (openUntil !== null) {
        if (!probe) return Date.now() < openUntil ? null : startProbe()
        const isInTime = await within(probe.promise, deadline - Date.now())
        if (!isInTime) return null
      }
      return normal
    },
  }
}

async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = delay(Math.max(0, ms), false, { signal: timer.signal }).catch(() => false)
  const isInTime = await Promise.race([promise.then(() => true), late])
  timer.abort()
  return isInTime
}
