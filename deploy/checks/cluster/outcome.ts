import { reportChecks } from '../load/run-k6.ts'

/** What a test records: its figures, the results of its checks, and sentences about failures. */
export interface Outcome {
  figures: Record<string, string | number>
  checks: Record<string, boolean>
  errors: string[]
}

/** The flags of a test. */
export interface TestOptions {
  /** How long the load lasts; every test has its own default. */
  seconds?: number
  /** Votes per second. */
  rate: number
  /** Seed of all random decisions. */
  seed: number
}

const MAX_ERRORS_SHOWN = 20

/** Waits for the work. Returns how long it took. */
export async function took(work: Promise<unknown>): Promise<string> {
  const start = performance.now()
  await work
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}

/** Runs a test, prints its outcome, and sets the exit code. A test that throws has failed. */
export async function runTest(name: string, test: (outcome: Outcome) => Promise<void>): Promise<void> {
  const outcome: Outcome = { figures: {}, checks: {}, errors: [] }
  await test(outcome).catch((error: Error) => {
    outcome.checks.completed = false
    outcome.errors.push(`${error.stack} ${error.cause ?? ''}`)
  })
  console.log(`\n${name}`)
  for (const [figure, value] of Object.entries(outcome.figures)) console.log(`  ${figure}: ${value}`)
  for (const error of outcome.errors.slice(0, MAX_ERRORS_SHOWN)) console.log(`  ! ${error}`)
  await reportChecks(`cluster-${name}`, outcome.checks)
}
