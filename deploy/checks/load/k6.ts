import { execFile, spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../local/paths.ts'

export interface Summary {
  metrics: Record<string, { values: Record<string, number>; thresholds?: Record<string, { ok: boolean }> }>
}

/** For the first request to the last answer beyond the given seconds. */
const patienceSeconds = 90

/**
 * Runs one of our k6 scripts to its end; what it logs goes into the file `output`, line by line.
 * `signal` ends it at once.
 * @throws when k6 cannot run, or does not end; not when a threshold was crossed
 */
export async function runK6(
  script: string,
  output: string,
  seconds: number,
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  const found = await promisify(execFile)('bash', ['services/testkit/scripts/fetch-tool.sh', 'k6'], { cwd: root })
  const quiet = ['--quiet', '--no-usage-report', '--address', '']
  const console = ['--log-format', 'raw', '--console-output', output]
  const k6 = spawn(found.stdout.trim(), ['run', ...quiet, ...console, script], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (seconds + patienceSeconds) * 1000,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  const code = await new Promise((resolve, reject) => k6.once('error', reject).once('exit', resolve))
  const thresholdCrossed = 99
  if (code !== 0 && code !== thresholdCrossed) throw new Error(`k6 ended with code ${code}.`)
}

/** Which thresholds held. */
export function thresholdsOf(metrics: Summary['metrics']): Record<string, boolean> {
  const all = Object.entries(metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds).map(([rule, { ok }]) => [`${name}: ${rule}`, ok] as const),
  )
  return Object.fromEntries(all)
}

const results = join(root, '.data/test-results')

/** Before a run, so that an earlier one's report does not stand for it. */
export async function removeReport(name: string): Promise<void> {
  await rm(join(results, `${name}.json`), { force: true })
}

/** Prints what held, and writes it down for the closing line of CI in the form of the other reports. */
export async function closeWithReport(name: string, checks: Record<string, boolean>): Promise<void> {
  for (const [check, ok] of Object.entries(checks)) console.log(`${ok ? 'passed' : 'FAILED'}  ${check}`)
  const failed = Object.values(checks).filter((ok) => !ok).length
  const json = {
    numPassedTests: Object.keys(checks).length - failed,
    numFailedTests: failed,
    numFailedTestSuites: 0,
    numPendingTests: 0,
    success: failed === 0,
  }
  await mkdir(results, { recursive: true })
  await writeFile(join(results, `${name}.json`), JSON.stringify(json))
  if (failed > 0) process.exitCode = 1
}
