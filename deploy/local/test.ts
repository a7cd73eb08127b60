import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chooseRuntime } from './choose-runtime.ts'
import { root } from './paths.ts'
import { prepare } from './prepare.ts'
import { failedFiles, readReport, reportPath, withSecondAttempt, writeReport } from './test-report.ts'

// `npm test` (unit), `npm run test:browser` and `npm run test:nightly`; further arguments go to vitest.
const [kind = 'unit', ...args] = process.argv.slice(2)
/** With more failed files a second attempt would take too long, and tell little. */
const MAX_REPEATED_FILES = 4

await prepare({ web: kind === 'browser' })
await mkdir(dirname(reportPath(kind)), { recursive: true })
// Browser tests start a whole system, always as private processes.
const { runtime } = kind === 'browser' ? { runtime: 'native' } : await chooseRuntime('test')
process.exitCode = await run(kind, args)
if (process.exitCode !== 0 && kind === 'browser' && process.env.CI) await repeatFailedFiles()

/** Runs vitest, which writes the report of this name. Resolves with its exit code. */
async function run(report: string, given: string[], env: Record<string, string> = {}): Promise<number> {
  await rm(reportPath(report), { force: true })
  const config = kind === 'unit' ? [] : ['--config', `vitest.${kind}.config.ts`]
  const reporters = [
    `--reporter=${kind === 'browser' ? 'verbose' : 'default'}`,
    '--reporter=json',
    `--outputFile.json=${reportPath(report)}`,
  ]
  const vitest = spawn('vitest', ['run', ...config, ...reporters, ...given], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SKYFOLIO_RUNTIME: runtime, ...env },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
  const [code] = await once(vitest, 'exit')
  return code ?? 1
}

/** CI runs failed tests once more, and its last lines name them. Steps of a journey run with the whole file. */
async function repeatFailedFiles(): Promise<void> {
  const first = await readReport(kind)
  const files = first ? failedFiles(first) : []
  if (!first || files.length === 0 || files.length > MAX_REPEATED_FILES) return
  console.log(`\nSecond attempt of ${files.length} files`)
  process.exitCode = await run(`${kind}-second`, files, { SECOND_ATTEMPT: 'true' })
  const second = await readReport(`${kind}-second`)
  if (second) await writeReport(kind, withSecondAttempt(first, second))
}
