import type { Route } from './faults.ts'

export interface LogEntry {
  id: number
  /** Time of the machine, then of the sandbox's clock. */
  at: string
  virtualAt: string
  route: Route | null
  method: string
  path: string
  affId: string
  /** HTTP status, or what happened to the connection. */
  outcome: string
  durationMs: number
  faults: string[]
  /** What a strict partner would not like: fields that the API does not know, numbers in place of text. */
  warnings: string[]
  request: string
  response: string
}

const MAX_ENTRIES = 500
const MAX_BODY = 4_000
const WINDOW_SECONDS = 60

/** The last requests, and counts of all of them. Contains no key and no signature. */
export class RequestLog {
  #entries: LogEntry[] = []
  #lastId = 0
  #counts: Record<string, number> = {}
  #limited = 0
  #rate = new SlidingCount()
  #peakPerMinute = 0

  add(entry: Omit<LogEntry, 'id' | 'request' | 'response'> & { request: unknown; response: unknown }): void {
    const [request, response] = [bodyText(entry.request), bodyText(entry.response)]
    this.#entries.push({ ...entry, request, response, id: ++this.#lastId })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, this.#entries.length - MAX_ENTRIES)
  }

  /** Counts a request when it arrives. */
  count(route: Route): void {
    this.#counts[route] = (this.#counts[route] ?? 0) + 1
    this.#peakPerMinute = Math.max(this.#peakPerMinute, this.#rate.add())
  }

  countLimited(): void {
    this.#limited++
  }

  get stats() {
    return { requests: { ...this.#counts }, limited: this.#limited, peakPerMinute: this.#peakPerMinute }
  }

  get lastId(): number {
    return this.#lastId
  }

  /** Newest first. */
  list(limit = MAX_ENTRIES): LogEntry[] {
    return this.#entries.slice(-limit).reverse()
  }

  clear(): void {
    this.#entries = []
    this.#counts = {}
    this.#limited = 0
    this.#rate = new SlidingCount()
    this.#peakPerMinute = 0
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
export class SlidingCount {
  readonly #buckets = new Map<number, number>()

  /** @returns how many there were in the last minute, this one included */
  add(): number {
    const second = Math.floor(performance.now() / 1000)
    this.#buckets.set(second, (this.#buckets.get(second) ?? 0) + 1)
    return this.#sum(second)
  }

  get total(): number {
    return this.#sum(Math.floor(performance.now() / 1000))
  }

  #sum(second: number): number {
    let sum = 0
    for (const [bucket, count] of this.#buckets) {
      if (bucket <= second - WINDOW_SECONDS) this.#buckets.delete(bucket)
      else sum += count
    }
    return sum
  }
}
