import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@skyfolio/kit'
import type { Call } from './call.ts'
import { type Admission, type CircuitBreaker, type CircuitOptions, createCircuitBreaker } from './circuit-breaker.ts'
import type { RateLimitedCall, RateLimits } from './rate-limit.ts'
import { type Credentials, countRequest, createSender, measureCircuits, type Sent } from './send-request.ts'
import type { CallOptions, Environment, FailureKind, ReadOutcome } from './types.ts'

export interface ClientOptions {
  urls: Record<Environment, string | undefined>
  credentials: Credentials | null
  timeoutMs: number
  circuit: CircuitOptions
  /** Longest pause before the first retry; the second one waits up to three times as long. */
  retryMs: number
}

export interface ClientDeps {
  limits: RateLimits
  logger: Logger
}

export interface Client {
  /** Makes a call that only reads, and repeats it where that can help. */
  read<Value>(environment: Environment, call: Call<Value>, options?: CallOptions): Promise<ReadOutcome<Value>>
  /** Makes a call with one request, on a connection of its own, or none. */
  sendOnce<Value>(environment: Environment, call: Call<Value>, withinMs?: number): Promise<Sent<Value>>
  isConfigured(environment: Environment): boolean
}

const ATTEMPTS = 3
/** With less time left a request is not worth sending. */
const MIN_REQUEST_MS = 200
/** How long a call that is sent once may wait for a permit, as a part of its time. */
const WAITING_PART = 0.2
/** A pause after 429 without Retry-After. */
const DEFAULT_PAUSE_MS = 1_000

const REPEATABLE: ReadonlySet<FailureKind> = new Set(['timeout', 'connection', 'reset', 'http', 'unreadable'])
/** Nothing was sent. */
const UNSENT: ReadonlySet<FailureKind> = new Set(['not_configured', 'circuit_open', 'rate_limited'])

const notSent = (kind: FailureKind, retryAfterMs?: number) =>
  ({ outcome: 'failed', kind, sent: false, ...(retryAfterMs !== undefined && { retryAfterMs }) }) as const

interface Attempt<Value> {
  environment: Environment
  call: Call<Value>
  limit: RateLimitedCall
  /** Until then it may wait for a permit. */
  startBy: number
  endBy: number
  isOnce: boolean
}

/** Sends calls to the partner within its rate limits, and none for some time while it fails. */
export function createClient(options: ClientOptions, { limits, logger }: ClientDeps): Client {
  const { urls, credentials, timeoutMs } = options
  const send = credentials && createSender({ urls, credentials, logger })
  const circuits = {
    sandbox: createCircuitBreaker(options.circuit),
    production: createCircuitBreaker(options.circuit),
  } satisfies Record<Environment, CircuitBreaker>
  measureCircuits(circuits)

  async function attempt<Value>({ environment, call, limit, ...times }: Attempt<Value>): Promise<Sent<Value>> {
    const { startBy, endBy, isOnce } = times
    const circuit = circuits[environment]
    if (!send || urls[environment] === undefined) return notSent('not_configured')
    // The reads before an order are the probes; an order is none.
    const admission = await circuit.enter(startBy, { mayProbe: !isOnce })
    if (!admission) return notSent('circuit_open', circuit.retryAfterMs())

    const waitMs = await limits.acquire(limit, startBy)
    const limitMs = Math.min(timeoutMs, endBy - performance.now())
    if (waitMs > 0 || limitMs <= 0) {
      admission.abandoned()
      return waitMs > 0 ? notSent('rate_limited', waitMs) : notSent('timeout')
    }
    const outcome = await send(environment, call, { timeoutMs: limitMs, ownConnection: isOnce })
    report(admission, outcome, limitMs >= timeoutMs / 2)
    if (outcome.outcome === 'failed' && outcome.status === 429) {
      limits.pause(limit, outcome.retryAfterMs ?? DEFAULT_PAUSE_MS)
    }
    return outcome
  }

  async function attemptAndCount<Value>(given: Attempt<Value>): Promise<Sent<Value>> {
    const outcome = await attempt(given)
    if (outcome.outcome === 'failed' && UNSENT.has(outcome.kind) && !is429(outcome)) {
      countRequest(given.call.name, outcome)
    }
    return outcome
  }

  return {
    isConfigured: (environment) => urls[environment] !== undefined && credentials !== null,
    async read(environment, call, { withinMs = timeoutMs, background = false } = {}) {
      const limit = { environment, isCoupon: call.name === 'coupon', isBackground: background }
      const endBy = performance.now() + withinMs
      const times = { startBy: endBy - Math.min(MIN_REQUEST_MS, withinMs / 2), endBy }
      for (let count = 1; ; count++) {
        const { sent: _, ...outcome } = await attemptAndCount({ environment, call, limit, ...times, isOnce: false })
        const pauseMs = options.retryMs * (2 * count - 1) * Math.random()
        const isLast = count === ATTEMPTS || performance.now() + pauseMs >= times.startBy
        if (isLast || !isRepeatable(outcome)) return outcome
        await delay(pauseMs)
      }
    },
    sendOnce(environment, call, withinMs = timeoutMs) {
      const limit = { environment, isCoupon: false, isBackground: false }
      const now = performance.now()
      const times = { startBy: now + withinMs * WAITING_PART, endBy: now + withinMs }
      return attemptAndCount({ environment, call, limit, ...times, isOnce: true })
    },
  }
}

type Failed = Extract<ReadOutcome<unknown>, { outcome: 'failed' }>

function is429(outcome: ReadOutcome<unknown>): boolean {
  return outcome.outcome === 'failed' && outcome.status === 429
}

/** A rejection of this request, which says that the partner works. */
function isClientError({ status = 0 }: Failed): boolean {
  return status >= 400 && status < 500
}

function isRepeatable(outcome: ReadOutcome<unknown>): boolean {
  if (outcome.outcome !== 'failed') return false
  return is429(outcome) || (REPEATABLE.has(outcome.kind) && !isClientError(outcome))
}

/** Tells the circuit breaker. A timeout counts only if the partner had time to respond. */
function report(admission: Admission, outcome: ReadOutcome<unknown>, hadTime: boolean): void {
  if (outcome.outcome !== 'failed' || isClientError(outcome)) admission.succeeded()
  else if (outcome.kind === 'timeout' && !hadTime) admission.abandoned()
  else admission.failed()
}
