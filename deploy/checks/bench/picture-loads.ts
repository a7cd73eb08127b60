// The loads of the benchmark of pictures, and what they cost.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ListedRequest, Load, LoadResult } from '../../../services/folders/bench/load.ts'
import { root } from '../../local/paths.ts'
import { median } from '../harness.ts'
import type { BenchSystem, CpuSeconds } from './picture-system.ts'

export const CONNECTIONS = 100
const run = promisify(execFile)
/** A list of requests is written once, since its addresses do not fit into an argument. */
const files = new Map<ListedRequest[], string>()

/** Where requests go, and which ones. */
export interface Target {
  port: number
  requests: ListedRequest[]
}

/** Runs the light generator of the votes' benchmark in a process of its own. */
async function load(options: Load): Promise<LoadResult> {
  const script = join(root, 'services/folders/bench/load.ts')
  return JSON.parse((await run(process.execPath, [script, JSON.stringify(options)])).stdout)
}

/** Requests pictures over `CONNECTIONS` connections: as many as possible, or at a rate. */
export async function loadPictures(
  { directory }: BenchSystem,
  { port, requests }: Target,
  options: Pick<Load, 'seconds' | 'rate' | 'once'>,
): Promise<LoadResult> {
  const list = files.get(requests) ?? join(directory, `requests-${files.size}.json`)
  if (!files.has(requests)) await writeFile(list, JSON.stringify(requests))
  files.set(requests, list)
  const result = await load({ port, list, connections: CONNECTIONS, ...options })
  if (result.wrong > 0) fail(`${result.wrong} responses of port ${port} differ: ${JSON.stringify(result.statuses)}`)
  return result
}

const failures: string[] = []

/** Notes a wrong result, for the exit code. */
export function fail(sentence: string): void {
  failures.push(sentence)
}

export const wrongResults = (): readonly string[] => failures

export interface Side {
  /** Of each round. */
  results: LoadResult[]
  /** CPU milliseconds per picture, by process. */
  cpu: Partial<CpuSeconds>
}

export interface Comparison {
  ours: Side
  reference: Side
  /** Median of the rounds' ratios, and those. */
  ratio: number
  ratios: number[]
}

/** Alternates ours and the reference; which one begins alternates too. */
export async function compare(
  system: BenchSystem,
  rounds: number,
  ours: (round: number) => Promise<LoadResult>,
  reference: (round: number) => Promise<LoadResult>,
): Promise<Comparison> {
  const sides = { ours: newSide(), reference: newSide() }
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0
    if (first) await measure(system, sides.ours, () => ours(round))
    await measure(system, sides.reference, () => reference(round))
    if (!first) await measure(system, sides.ours, () => ours(round))
  }
  const ratios = sides.ours.results.map(
    ({ perSecond }, round) => perSecond / (sides.reference.results[round]?.perSecond ?? 0),
  )
  const finish = ({ results, cpu, pictures }: MeasuredSide): Side => {
    const each = Object.entries(cpu).map(([name, seconds]) => [name, (seconds * 1000) / pictures])
    return { results, cpu: Object.fromEntries(each) }
  }
  return { ours: finish(sides.ours), reference: finish(sides.reference), ratio: median(ratios), ratios }
}

interface MeasuredSide extends Side {
  pictures: number
}

const newSide = (): MeasuredSide => ({ results: [], cpu: {}, pictures: 0 })

async function measure(system: BenchSystem, side: MeasuredSide, work: () => Promise<LoadResult>): Promise<void> {
  const before = await system.readCpu()
  const result = await work()
  const after = await system.readCpu()
  side.results.push(result)
  side.pictures += Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  for (const name of Object.keys(after) as (keyof CpuSeconds)[])
    side.cpu[name] = (side.cpu[name] ?? 0) + after[name] - before[name]
}

export const perSecond = ({ results }: Side): number => median(results.map((result) => result.perSecond))
