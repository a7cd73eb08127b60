import type { Route } from './faults.ts'
import type { Profile } from './profile.ts'

export interface LogEntry {
  at: string
  route: Route
  affId: string
  /** HTTP status, or what happened to the connection. */
  outcome: string
  durationMs: number
  faults: string[]
  request: string
  response: string
}

const MAX_ENTRIES = 500
const MAX_BODY = 4_000
const WINDOW_SECONDS = 60

/** The last requests, and counts of all of them. Contains no key and no signature. */
export class RequestLog {
  readonly #entries: LogEntry[] = []
  readonly #counts: Record<string, number> = {}
  #limited = 0
  readonly #rate = new SlidingCount()
  #peakPerMinute = 0

  add(entry: Omit<LogEntry, 'request' | 'response'> & { request: unknown; response: unknown }): void {
    this.#entries.push({ ...entry, request: bodyText(entry.request), response: bodyText(entry.response) })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  /** Counts a request when it arrives. */
  count(route: Route): void {
    this.#counts[route] = (this.#counts[route] ?? 0) + 1
    this.#rate.add()
    this.#peakPerMinute = Math.max(this.#peakPerMinute, this.#rate.total)
  }

  countLimited(): void {
    this.#limited++
  }

  get stats() {
    return { requests: { ...this.#counts }, limited: this.#limited, peakPerMinute: this.#peakPerMinute }
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

/** Enough of a key to tell it from another one. */
export function maskKey(key: string): string {
  return key.length >= 12 ? `…${key.slice(-4)}` : '…'
}

function bodyText(body: unknown): string {
  if (body === undefined) return ''
  const text = typeof body === 'string' ? body : JSON.stringify(body, maskSecrets)
  const masked = text.replaceAll(/([?&]sig=)[^&"]+/g, '$1…')
  return masked.length > MAX_BODY ? `${masked.slice(0, MAX_BODY)}… (${masked.length} characters)` : masked
}

function maskSecrets(name: string, value: unknown): unknown {
  return name.toLowerCase() === 'apikey' ? maskKey(String(value)) : value
}

/** Counts events of the last minute, in buckets of a second. */
class SlidingCount {
  readonly #buckets = new Map<number, number>()

  add(): void {
    const second = Math.floor(performance.now() / 1000)
    this.#buckets.set(second, (this.#buckets.get(second) ?? 0) + 1)
  }

  get total(): number {
    const first = Math.floor(performance.now() / 1000) - WINDOW_SECONDS
    let sum = 0
    for (const [second, count] of this.#buckets) {
      if (second <= first) this.#buckets.delete(second)
      else sum += count
    }
    return sum
  }
}
