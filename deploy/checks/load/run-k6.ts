import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { runCheck, startSystem } from '../harness.ts'
import { checkTarget } from './target.ts'

interface Summary {
  metrics: Record<string, { values: Record<string, number>; thresholds?: Record<string, { ok: boolean }> }>
}

/** Added to the given seconds for start-up and the last responses. */
const GRACE_SECONDS = 90
const LONGEST_MS = 1_800_000

/** Where a load goes to. */
export interface LoadTarget {
  baseUrl: string
  /** For files of the load. */
  folder: string
  /** Null for one that runs elsewhere, at BASE_URL. */
  system: LaunchedSystem | null
}

type Checks = Record<string, boolean>

/** Runs a load on a system with these settings, or on the one at BASE_URL, and reports its checks. */
export async function runLoad(
  report: string,
  settings: Record<string, string>,
  load: (target: LoadTarget) => Promise<Checks>,
): Promise<void> {
  const { BASE_URL, ALLOW_REMOTE } = process.env
  await removeReport(report)
  await runCheck(LONGEST_MS, async (folder) => {
    const system = BASE_URL ? null : await startSystem(folder, settings)
    const baseUrl = checkTarget(system?.url ?? BASE_URL ?? '', ALLOW_REMOTE)
    await reportChecks(report, await load({ baseUrl, folder, system }))
  })
}

/** Runs one of our k6 scripts on the target. Returns the lines that it logged, and its figures. */
export async function loadWithK6(
  { baseUrl, folder }: LoadTarget,
  script: string,
  seconds: number,
  env: Record<string, string>,
): Promise<{ lines: string; metrics: Summary['metrics']; thresholds: Checks }> {
  const [output, summary] = [join(folder, 'k6.log'), join(folder, 'k6.json')]
  await runK6(script, output, seconds, { ...env, BASE_URL: baseUrl, SUMMARY: summary })
  const { metrics } = JSON.parse(await readFile(summary, 'utf8')) as Summary
  return { lines: await readFile(output, 'utf8'), metrics, thresholds: readThresholds(metrics) }
}

/**
 * Runs one of our k6 scripts and writes what it logs to the file `output`, line by line.
 * @throws when k6 cannot run or does not end; not when a threshold is crossed
 */
async function runK6(script: string, output: string, seconds: number, env: Record<string, string>): Promise<void> {
  const path = await promisify(execFile)('bash', ['services/testkit/scripts/fetch-tool.sh', 'k6'], { cwd: root })
  const quiet = ['--quiet', '--no-usage-report', '--address', '']
  const console = ['--log-format', 'raw', '--console-output', output]
  const k6 = spawn(path.stdout.trim(), ['run', ...quiet, ...console, script], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (seconds + GRACE_SECONDS) * 1000,
    killSignal: 'SIGKILL',
  })
  const code = await new Promise((resolve, reject) => k6.once('error', reject).once('exit', resolve))
  const THRESHOLD_EXIT_CODE = 99
  if (code !== 0 && code !== THRESHOLD_EXIT_CODE) throw new Error(`k6 ended with code ${code}.`)
}

/** Returns for each threshold whether it was met. */
function readThresholds(metrics: Summary['metrics']): Checks {
  const all = Object.entries(metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds).map(([rule, { ok }]) => [`${name}: ${rule}`, ok] as const),
  )
  return Object.fromEntries(all)
}

/** Describes a time that k6 measured. */
export function describeTimes(metrics: Summary['metrics'], name: string): string {
  const { med = 0, 'p(95)': p95 = 0, max = 0 } = metrics[name]?.values ?? {}
  return `median ${med.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, max ${max.toFixed(0)} ms`
}

export const countOf = (metrics: Summary['metrics'], name: string) => metrics[name]?.values.count ?? 0

const RESULTS_DIRECTORY = join(root, '.data/test-results')

/** Called before a run, so that no report of an earlier run remains. */
export async function removeReport(name: string): Promise<void> {
  await rm(join(RESULTS_DIRECTORY, `${name}.json`), { force: true })
}

/** Prints the results of checks, and writes them in the format of the other test reports for the summary of CI. */
export async function reportChecks(name: string, checks: Checks): Promise<void> {
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
