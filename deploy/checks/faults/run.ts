import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { LaunchedSystem } from '../../local/launch.ts'
import { until } from './checks.ts'
import { describeFault, type Fault } from './plan.ts'
import { inject, type ObjectServer } from './processes.ts'

/** What a run must end, the last first. */
export const undo: (() => Promise<unknown>)[] = []
let undoing: Promise<void> | undefined

/** Ends what this run started. */
export function cleanUp(): Promise<void> {
  undoing ??= (async () => {
    for (const end of undo.reverse()) await end().catch((error) => console.error(error))
  })()
  return undoing
}

/** Cleans up on a signal too, and ends the run, whatever hangs, after so long. */
export function boundRun(overallMs: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void cleanUp().then(() => process.exit(130)))
  }
  setTimeout(() => {
    console.error(`\nThe run did not end within ${overallMs / 1000} s.`)
    void cleanUp().then(() => process.exit(1))
  }, overallMs).unref()
}

/** Does the faults at their times, one after the other for each target; resolves when the last is over. */
export async function injectAll(system: LaunchedSystem, objects: ObjectServer | null, faults: Fault[]): Promise<void> {
  const begun = Date.now()
  const one = async (fault: Fault) => {
    await delay(fault.at - (Date.now() - begun))
    console.log(describeFault(fault))
    if (!(await inject(system, objects, fault))) console.log(`         ${fault.target} was away already`)
  }
  await Promise.all(faults.map(one))
}

export interface Verdict {
  wrong: string[]
  facts: string[]
}

/** Says how the run ended. Its data stays when something was wrong, or when it is to be kept. */
export function conclude(
  wrong: string[],
  {
    summary,
    fine,
    keep,
    dataDir,
    log,
  }: { summary: string[]; fine: string; keep: boolean; dataDir: string; log: string },
): void {
  console.log(`\n${summary.join('\n')}\n`)
  if (wrong.length === 0) {
    console.log(fine)
    if (!keep) undo.unshift(() => rm(dataDir, { recursive: true }))
    return
  }
  console.log(`WRONG (${wrong.length}):\n${wrong.slice(0, 50).join('\n')}\nThe data and the log are kept: ${log}`)
  process.exitCode = 1
}

/** Waits for something that must come to be, and notes in the verdict how long that took. */
export async function expectSoon(
  { wrong, facts }: Verdict,
  what: string,
  withinMs: number,
  done: () => Promise<boolean>,
): Promise<void> {
  const took = await until(withinMs, done)
  if (took === null) wrong.push(`not within ${withinMs / 1000} s: ${what}`)
  else facts.push(`${what}: after ${(took / 1000).toFixed(1)} s`)
}

/** How the processes fared, from what the runner printed. */
export function noteEnds({ wrong, facts }: Verdict, { lines }: LaunchedSystem): void {
  wrong.push(...lines.filter((line) => line.includes('an error that nobody handled')))
  const ends = lines.filter((line) => /ended \(exit code/.test(line))
  facts.push(`processes that ended by themselves: ${ends.length}`, ...ends.map((line) => `  ${line}`))
}
