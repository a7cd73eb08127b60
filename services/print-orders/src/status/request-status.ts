import type { Partner } from '../partner/partner.ts'
import type { Environment, ReadOutcome, StatusEntry } from '../partner/types.ts'
import type { DueOrder } from './due-orders.ts'

/** What became of a batch of orders whose status was requested. */
export interface BatchResult {
  /** Orders whose request the partner responded to, with everything that it reported. */
  reported: { orders: DueOrder[]; entries: StatusEntry[] }[]
  /** Orders for which the partner rejects every request, also for one alone. */
  rejected: DueOrder[]
  /** Orders without a response, which says nothing about them. */
  withoutResponse: DueOrder[]
  /** Why there are such orders. */
  failure: RequestFailure | null
}

export interface RequestFailure {
  reason: string
  /** Whether the orders of the request may be the cause. */
  isSuspicious: boolean
  /** When a further request makes sense. */
  retryAfterMs?: number | undefined
}

export interface BatchOptions {
  partner: Partner
  environment: Environment
  /** Time limit of one request with its waiting. */
  withinMs: number
  /** Called before each request with how many were sent; false ends the work on the batch. */
  beforeRequest(sent: number): Promise<boolean>
}

/** The affiliate is not activated, unknown, or its credentials are rejected: that concerns every request. */
const CREDENTIAL_CODES = new Set(['112', '659', '2003'])
/** Failures with which the partner may have rejected the content of a request, and the HTTP statuses of those. */
const CONTENT_FAILURES = new Set(['http', 'unreadable', 'too_large'])
const CONTENT_STATUSES = new Set([200, 400, 413, 414, 422])

/** Failures of which the orders of the request cannot be the cause. */
const INNOCENT_FAILURES = new Set(['not_configured', 'connection', 'rate_limited', 'circuit_open'])

/** Enough to find two orders that the partner stumbles over among 64. */
const REQUESTS_PER_BATCH = 25
/** When it rejects so many orders alone before it accepts any, it rejects everything. */
const REJECTS_EVERYTHING = 3

/**
 * Requests the status of a batch. When the partner rejects it as a whole, that of each half is requested, so that one order that
 * the partner stumbles over delays no other, and so that its limit for one request need not be known.
 */
export async function requestStatuses(batch: DueOrder[], options: BatchOptions): Promise<BatchResult> {
  const result: BatchResult = { reported: [], rejected: [], withoutResponse: [], failure: null }
  const waiting = [batch]
  for (let requests = 0; waiting.length > 0; requests += 1) {
    const orders = waiting.shift() ?? []
    if (result.failure || requests >= REQUESTS_PER_BATCH || !(await options.beforeRequest(requests))) {
      result.withoutResponse.push(...orders)
      if (requests >= REQUESTS_PER_BATCH) result.failure ??= { reason: 'rejected too often', isSuspicious: true }
      continue
    }
    const outcome = await request(orders, options)
    if (outcome.outcome === 'ok') result.reported.push({ orders, entries: outcome.value })
    else if (!isAboutContent(outcome)) {
      result.withoutResponse.push(...orders)
      result.failure = describe(outcome)
    } else if (orders.length === 1) {
      result.rejected.push(...orders)
      if (result.reported.length > 0 || result.rejected.length < REJECTS_EVERYTHING) continue
      result.failure = { ...describe(outcome), isSuspicious: true }
      result.withoutResponse.push(...result.rejected.splice(0))
    } else {
      const middle = Math.ceil(orders.length / 2)
      waiting.unshift(orders.slice(0, middle), orders.slice(middle))
    }
  }
  return result
}

type Problem = Exclude<ReadOutcome<unknown>, { outcome: 'ok' }>

function request(orders: DueOrder[], { partner, environment, withinMs }: BatchOptions) {
  const ids = orders.map(({ vendorOrderId }) => vendorOrderId)
  return partner.status(environment, ids, { background: true, withinMs })
}

/** Whether a smaller request may succeed. */
function isAboutContent(problem: Problem): boolean {
  if (problem.outcome === 'error') return !CREDENTIAL_CODES.has(problem.code)
  return CONTENT_FAILURES.has(problem.kind) && CONTENT_STATUSES.has(problem.status ?? 200)
}

function describe(problem: Problem): RequestFailure {
  if (problem.outcome === 'error') return { reason: `partner error ${problem.code}`, isSuspicious: false }
  const { kind, retryAfterMs } = problem
  return { reason: kind, isSuspicious: !INNOCENT_FAILURES.has(kind), retryAfterMs }
}
