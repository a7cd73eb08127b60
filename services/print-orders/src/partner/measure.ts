import { metrics } from '@skyfolio/kit'
import type { CallName } from './call.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { ENVIRONMENTS, type Environment, type ReadOutcome } from './types.ts'

const requests = metrics.counter(
  'skyfolio_partner_requests_total',
  'Requests to the print partner, by call and outcome: ok, error (with a code of the partner), or the kind of failure',
  ['call', 'outcome'],
)
const durations = metrics.histogram(
  'skyfolio_partner_seconds',
  'Duration of requests to the print partner',
  ['call'],
  [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
)
const circuitOpen = metrics.gauge(
  'skyfolio_partner_circuit_open',
  'Whether the circuit breaker of this process is open for an environment of the print partner (1) or not (0)',
  ['environment'],
)

/** Counts a request that was sent, or could not be sent. */
export function countRequest(call: CallName, outcome: ReadOutcome<unknown>, ms?: number): void {
  requests.inc({ call, outcome: outcome.outcome === 'failed' ? outcome.kind : outcome.outcome })
  if (ms !== undefined) durations.observe({ call }, ms / 1000)
}

export function measureCircuits(circuits: Record<Environment, CircuitBreaker>): void {
  metrics.onScrape('partner circuits', () =>
    ENVIRONMENTS.map((environment) => [circuitOpen, circuits[environment].isDenying() ? 1 : 0, { environment }]),
  )
}
