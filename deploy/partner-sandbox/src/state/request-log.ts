import type { Route } from './faults.ts'
import type { Profile } from './profile.ts'

export interface LogEntry {
  at: string
  route: Route
  faults: string[]
  request: string
}

const MAX_ENTRIES = 500
const MAX_BODY = 4_000
const WINDOW_MS = 60_000

/** The last requests, and counts of all of them. Contains no key. */
export class RequestLog {
  readonly #entries: LogEntry[] = []
  readonly #counts: Record<string, number> = {}

  add(route: Route, faults: string[], request: unknown): void {
    this.#counts[route] = (this.#counts[route] ?? 0) + 1
    this.#entries.push({ at: new Date().toISOString(), route, faults, request: bodyText(request) })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  get stats() {
    return { requests: { ...this.#counts } }
  }

  /** Newest first. */
  list(limit: number): LogEntry[] {
    return this.#entries.slice(-limit).reverse()
  }
}

/** The partner's limits, in real time: turning the clock does not change them. */
export class RateLimits {
  readonly #all = new SlidingCount()
  readonly #coupons = new SlidingCount()

  /** Counts the request unless it is over a limit. @returns whether it may pass */
  admit(route: Route, profile: Profile): boolean {
    if (this.#all.total >= profile.requestsPerMinute) return false
    if (route === 'coupon') {
      if (this.#coupons.total >= profile.couponsPerMinute) return false
      this.#coupons.add()
    }
    this.#all.add()
    return true
  }
}

function bodyText(body: unknown): string {
  const text = JSON.stringify(body, (name, value) => (name.toLowerCase() === 'apikey' ? '…' : value)) ?? ''
  return text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}… (${text.length} characters)` : text
}

/** Counts events of the last minute. */
class SlidingCount {
  readonly #times: number[] = []

  add(): void {
    this.#times.push(performance.now())
  }

  get total(): number {
    const first = performance.now() - WINDOW_MS
    while ((this.#times[0] ?? first) < first) this.#times.shift()
    return this.#times.length
  }
}
