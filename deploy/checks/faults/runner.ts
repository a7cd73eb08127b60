import { parseArgs } from 'node:util'
import type { LaunchedSystem } from '../../local/launch.ts'
import { waitFor } from '../harness.ts'

interface Flags {
  /** By default another one each time. */
  seed: number
  /** How long the load lasts; with stores as in production it lasts as long as its faults. */
  ms: number
  abandoned: boolean
  isProduction: boolean
  /** Through PgBouncer. */
  pooler: boolean
}

export function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      seconds: { type: 'string', default: '60' },
      abandoned: { type: 'boolean', default: false },
      topology: { type: 'string', default: 'single' },
      pooler: { type: 'boolean', default: false },
    },
  })
  const { abandoned, topology, pooler } = values
  if (!['single', 'production'].includes(topology)) throw new Error('--topology is single or production')
  if (topology === 'single' ? pooler : abandoned)
    throw new Error('--pooler needs --topology production, which has no --abandoned')
  const [seed, seconds] = [Number(values.seed), Number(values.seconds)]
  return { seed, ms: seconds * 1000, abandoned, isProduction: topology === 'production', pooler }
}

/** Whether it is too late to try again: the load has ended so long ago. */
export function createDeadline(isRunning: () => boolean, ms: number): () => boolean {
  let lastRunning = Date.now()
  return () => {
    if (isRunning()) lastRunning = Date.now()
    return Date.now() - lastRunning > ms
  }
}

export function listCounts(counts: Iterable<[string, number]>): string {
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ')
}

export interface Verdict {
  errors: string[]
  facts: string[]
}

/** Prints the result of the run: `fine`, or what is wrong. */
export function reportResult({ errors, facts }: Verdict, summary: string[], fine: string): void {
  console.log(`\n${[...summary, ...facts].join('\n')}\n`)
  console.log(errors.length === 0 ? fine : `FAILED (${errors.length}):\n${errors.slice(0, 50).join('\n')}`)
  if (errors.length > 0) process.exitCode = 1
}

/** Waits for an expected condition, and records in the verdict how long it took. */
export async function expectEventually(
  { errors, facts }: Verdict,
  what: string,
  timeoutMs: number,
  done: () => Promise<boolean>,
): Promise<void> {
  const took = await waitFor(timeoutMs, done)
  if (took === null) errors.push(`not within ${timeoutMs / 1000} s: ${what}`)
  else facts.push(`${what}: after ${(took / 1000).toFixed(1)} s`)
}

/** Records unhandled errors and exits of processes, from the runner's output. */
export function checkProcessExits({ errors, facts }: Verdict, { lines }: LaunchedSystem): void {
  errors.push(...lines.filter((line) => line.includes('unhandled error')))
  const exits = lines.filter((line) => /ended \(exit code/.test(line))
  facts.push(`processes that exited by themselves: ${exits.length}`, ...exits.map((line) => `  ${line}`))
}
