import { setTimeout as delay } from 'node:timers/promises'
import type { LaunchedSystem } from '../../local/launch.ts'
import { type Store, waitFor } from '../harness.ts'
import { describeFault, type Fault } from './fault-plan.ts'
import { injectFault } from './inject.ts'

/** Injects the faults at their times. Resolves when the last one is over. */
export async function injectFaults(system: LaunchedSystem, objects: Store | null, faults: Fault[]): Promise<void> {
  const start = Date.now()
  const inject = async (fault: Fault) => {
    await delay(fault.atMs - (Date.now() - start))
    console.log(describeFault(fault))
    if (!(await injectFault(system, objects, fault))) console.log(`         ${fault.target} was already down`)
  }
  await Promise.all(faults.map(inject))
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
