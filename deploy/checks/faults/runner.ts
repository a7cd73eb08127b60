import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { LaunchedSystem } from '../../local/launch.ts'
import { waitFor } from './consistency.ts'
import { describeFault, type Fault } from './fault-plan.ts'
import { injectFault, type ObjectServer } from './inject.ts'

/** Clean-up functions of a run; the last one added runs first. */
export const cleanups: (() => Promise<unknown>)[] = []
let cleaningUp: Promise<void> | undefined

/** Stops everything that this run started. */
export function cleanUp(): Promise<void> {
  cleaningUp ??= (async () => {
    for (const end of cleanups.reverse()) await end().catch((error) => console.error(error))
  })()
  return cleaningUp
}

/** Cleans up on signals, and aborts the run after the timeout. */
export function limitRun(timeoutMs: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void cleanUp().then(() => process.exit(130)))
  }
  setTimeout(() => {
    console.error(`\nThe run did not end within ${timeoutMs / 1000} s.`)
    void cleanUp().then(() => process.exit(1))
  }, timeoutMs).unref()
}

/** Injects the faults at their times. Resolves when the last one is over. */
export async function injectFaults(
  system: LaunchedSystem,
  objects: ObjectServer | null,
  faults: Fault[],
): Promise<void> {
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

/** Prints the result of the run. Its data is kept after errors, or with `keep`. */
export function reportResult(
  errors: string[],
  {
    summary,
    fine: successMessage,
    keep,
    dataDir,
    log,
  }: { summary: string[]; fine: string; keep: boolean; dataDir: string; log: string },
): void {
  console.log(`\n${summary.join('\n')}\n`)
  if (errors.length === 0) {
    console.log(successMessage)
    if (!keep) cleanups.unshift(() => rm(dataDir, { recursive: true }))
    return
  }
  console.log(`FAILED (${errors.length}):\n${errors.slice(0, 50).join('\n')}\nThe data and the log are kept: ${log}`)
  process.exitCode = 1
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
