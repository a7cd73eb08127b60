import type { LoggedVote } from './check-votes.ts'
import type { Summary } from './run-k6.ts'

/** A second of the ramp counts as overloaded above this p95, or above this part of unsuccessful votes. */
const OVERLOAD_P95_MS = 1000
const OVERLOAD_FAILED_PART = 0.01

interface Second {
  /** Since the start of the load. */
  second: number
  sent: number
  acknowledged: number
  p95: number
}

function bySecond(votes: LoggedVote[]): Second[] {
  const start = votes.reduce((min, { at }) => Math.min(min, at), Number.POSITIVE_INFINITY)
  const groups = Map.groupBy(votes, ({ at }) => Math.floor((at - start) / 1000))
  const seconds = [...groups].map(([second, group]) => ({
    second,
    sent: group.length,
    acknowledged: group.filter(({ outcome }) => outcome === 'acknowledged').length,
    p95: quantile(durations(group), 0.95),
  }))
  return seconds.sort((a, b) => a.second - b.second)
}

/** The value that this part of the values do not exceed; 0 without values. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0
}

const durations = (votes: LoggedVote[]) => votes.map(({ durationMs }) => durationMs)

/** Describes the figures of a run in sentences. */
export function describeVotes(votes: LoggedVote[], metrics: Summary['metrics'], scenario: string): string[] {
  const statuses = Map.groupBy(votes, ({ status }) => status)
  const responses = [...statuses].map(([status, group]) => `${group.length} × ${status || 'no response'}`)
  const acknowledged = votes.filter(({ outcome }) => outcome === 'acknowledged')
  const seconds = bySecond(votes)
  const best = seconds.reduce((max, { acknowledged: count }) => Math.max(max, count), 0)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(durations(acknowledged), part).toFixed(0))
  const dropped = metrics.dropped_iterations?.values.count ?? 0
  const lines = [
    `${scenario}: ${votes.length} votes sent, responses: ${responses.join(', ')}; not sent in time: ${dropped}`,
    `acknowledged: median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms; at most ${best} per second`,
  ]
  if (scenario !== 'ramp') return lines
  const overloaded = seconds.find(
    ({ sent, acknowledged: count, p95: slow }) => slow > OVERLOAD_P95_MS || sent - count > sent * OVERLOAD_FAILED_PART,
  )
  if (!overloaded) return [...lines, 'the ramp reached no overload']
  const { second, sent, acknowledged: count, p95: slow } = overloaded
  return [...lines, `overloaded in second ${second}: ${sent} sent, ${count} acknowledged, p95 ${slow} ms`]
}
