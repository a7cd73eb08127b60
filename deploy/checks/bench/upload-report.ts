import type { CpuSeconds } from './upload-system.ts'
import type { Way } from './upload-ways.ts'

/** One way in one round. */
export interface Measurement {
  way: Way
  bytes: number
  seconds: number
  cpu: CpuSeconds
}

/** The measurements of one round, each way with the same number of files of the same sizes. */
export type Round = Map<Way, Measurement>

const NAMES: Record<Way, string> = {
  bare: 'bare PUT with its SHA-256',
  pair: 'bare pair: proxy, handler that hashes and puts',
  gateway: 'parts through the gateway',
  direct: 'parts straight to the store',
  form: 'form (`POST /api/upload-photo`)',
}
const OWN = ['gateway', 'media'] as const

/** Markdown: rates and ratios, and CPU seconds by process. */
export function describeRounds(rounds: Round[], ways: Way[]): string {
  const rows = ways.map((way) => {
    const ratios = (reference: Way) => (way === reference ? '' : describeRatios(rounds, way, reference))
    return `| ${NAMES[way]} | ${rateOf(rounds, way).toFixed(0)} | ${ratios('bare')} | ${ratios('pair')} |`
  })
  return [
    '| way | MB/s | of bare PUTs | of the bare pair |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
    '',
    'Ratios: median of the rounds (least to most), each of two measurements of one round.',
    '',
    ...describeCpu(rounds, ways),
  ].join('\n')
}

const of = (rounds: Round[], way: Way) => rounds.flatMap((round) => round.get(way) ?? [])
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

function rateOf(rounds: Round[], way: Way): number {
  const measured = of(rounds, way)
  return sum(measured.map(({ bytes }) => bytes)) / 1e6 / sum(measured.map(({ seconds }) => seconds))
}

function describeRatios(rounds: Round[], way: Way, reference: Way): string {
  const ratios = rounds.flatMap((round) => {
    const [own, other] = [round.get(way), round.get(reference)]
    return own && other ? own.bytes / own.seconds / (other.bytes / other.seconds) : []
  })
  if (ratios.length === 0) return ''
  ratios.sort((a, b) => a - b)
  const at = (index: number) => (ratios[index] ?? 0).toFixed(2)
  return `${at(Math.floor(ratios.length / 2))} (${at(0)} to ${at(ratios.length - 1)})`
}

function describeCpu(rounds: Round[], ways: Way[]): string[] {
  const costOf = (way: Way, names: (keyof CpuSeconds)[]) => {
    const measured = of(rounds, way)
    const seconds = sum(measured.flatMap(({ cpu }) => names.map((name) => cpu[name])))
    return (seconds * 1e9) / sum(measured.map(({ bytes }) => bytes))
  }
  const processes = Object.keys(of(rounds, ways[0] as Way)[0]?.cpu ?? {}) as (keyof CpuSeconds)[]
  const shown = processes.filter((name) => ways.some((way) => costOf(way, [name]) >= 0.02))
  return [
    `| CPU seconds per GB | ${shown.join(' | ')} | gateway and media |`,
    `| --- |${' ---: |'.repeat(shown.length + 1)}`,
    ...ways.map((way) => {
      const costs = shown.map((name) => costOf(way, [name]).toFixed(2))
      return `| ${NAMES[way]} | ${costs.join(' | ')} | ${costOf(way, [...OWN]).toFixed(2)} |`
    }),
  ]
}

export type Peaks = Record<(typeof OWN)[number], number>

/** Markdown: peak resident MB with small and with large files. */
export function describeMemory(small: Peaks, large: Peaks): string {
  const row = (name: keyof Peaks) =>
    `| ${name} | ${small[name].toFixed(0)} | ${large[name].toFixed(0)} | ${(large[name] - small[name]).toFixed(0)} |`
  return [
    '| peak resident, MB | 4 MB files | 150 MB files | difference (budget 50) |',
    '| --- | ---: | ---: | ---: |',
    ...OWN.map(row),
  ].join('\n')
}
