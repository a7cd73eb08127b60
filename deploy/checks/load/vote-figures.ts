import type { Summary } from './k6.ts'
import type { LoggedVote } from './votes-check.ts'

/** From this on a second of the ramp counts as broken: so slow at p95, or so large a part of its votes without success. */
const brokenMs = 1000
const brokenPart = 0.01

interface Second {
  /** From the beginning of the load. */
  second: number
  sent: number
  acknowledged: number
  p95: number
}

function bySecond(votes: LoggedVote[]): Second[] {
  const begun = votes.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const groups = Map.groupBy(votes, ({ at }) => Math.floor((at - begun) / 1000))
  const seconds = [...groups].map(([second, group]) => ({
    second,
    sent: group.length,
    acknowledged: group.filter(({ outcome }) => outcome === 'acknowledged').length,
    p95: quantile(group, 0.95),
  }))
  return seconds.sort((a, b) => a.second - b.second)
}

function quantile(votes: LoggedVote[], part: number): number {
  const times = votes.map(({ took }) => took).sort((a, b) => a - b)
  return times[Math.min(Math.floor(times.length * part), times.length - 1)] ?? 0
}

/** What a run showed, in sentences. */
export function describeVotes(votes: LoggedVote[], metrics: Summary['metrics'], scenario: string): string[] {
  const statuses = Map.groupBy(votes, ({ status }) => status)
  const answers = [...statuses].map(([status, group]) => `${group.length} × ${status || 'no answer'}`)
  const acknowledged = votes.filter(({ outcome }) => outcome === 'acknowledged')
  const seconds = bySecond(votes)
  const best = seconds.reduce((most, { acknowledged: count }) => Math.max(most, count), 0)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(acknowledged, part).toFixed(0))
  const dropped = metrics.dropped_iterations?.values.count ?? 0
  const lines = [
    `${scenario}: ${votes.length} votes sent, answers: ${answers.join(', ')}; not sent in time: ${dropped}`,
    `acknowledged: median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms; at most ${best} in a second`,
  ]
  if (scenario !== 'ramp') return lines
  const broken = seconds.find(
    ({ sent, acknowledged: count, p95: slow }) => slow > brokenMs || sent - count > sent * brokenPart,
  )
  if (!broken) return [...lines, 'the ramp met no break']
  const { second, sent, acknowledged: count, p95: slow } = broken
  return [...lines, `broken in second ${second}: ${sent} sent, ${count} acknowledged, p95 ${slow} ms`]
}
