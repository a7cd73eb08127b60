import { execFile, spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../local/paths.ts'

export interface Summary {
  metrics: Record<string, { values: Record<string, number>; thresholds?: Record<string, { ok: boolean }> }>
}

/** Added to the given seconds for start-up and the last responses. */
const GRACE_SECONDS = 90

/**
 * Runs one of our k6 scripts and writes what it logs to the file `output`, line by line. `signal` stops it at once.
 * @throws when k6 cannot run or does not end; not when a threshold is crossed
 */
export async function runK6(
  script: string,
  output: string,
  seconds: number,
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  const path = await promisify(execFile)('bash', ['services/testkit/scripts/fetch-tool.sh', 'k6'], { cwd: root })
  const quiet = ['--quiet', '--no-usage-report', '--address', '']
  const console = ['--log-format', 'raw', '--console-output', output]
  const k6 = spawn(path.stdout.trim(), ['run', ...quiet, ...console, script], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (seconds + GRACE_SECONDS) * 1000,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  const code = await new Promise((resolve, reject) => k6.once('error', reject).once('exit', resolve))
  const THRESHOLD_EXIT_CODE = 99
  if (code !== 0 && code !== THRESHOLD_EXIT_CODE) throw new Error(`k6 ended with code ${code}.`)
}

/** Returns for each threshold whether it was met. */
export function readThresholds(metrics: Summary['metrics']): Record<string, boolean> {
  const all = Object.entries(metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds).map(([rule, { ok }]) => [`${name}: ${rule}`, ok] as const),
  )
  return Object.fromEntries(all)
}

const RESULTS_DIRECTORY = join(root, '.data/test-results')

/** Called before a run, so that no report of an earlier run remains. */
export async function removeReport(name: string): Promise<void> {
  await rm(join(RESULTS_DIRECTORY, `${name}.json`), { force: true })
}

/** Prints the results of checks, and writes them in the format of the other test reports for the summary of CI. */
export async function reportChecks(name: string, checks: Record<string, boolean>): Promise<void> {
  for (const [check, ok] of Object.entries(checks)) console.log(`${ok ? 'passed' : 'FAILED'}  ${check}`)
  const failed = Object.values(checks).filter((ok) => !ok).length
  const json = {
    numPassedTests: Object.keys(checks).length - failed,
    numFailedTests: failed,
    numFailedTestSuites: 0,
    numPendingTests: 0,
    success: failed === 0,
  }
  await mkdir(RESULTS_DIRECTORY, { recursive: true })
  await writeFile(join(RESULTS_DIRECTORY, `${name}.json`), JSON.stringify(json))
  if (failed > 0) process.exitCode = 1
}
