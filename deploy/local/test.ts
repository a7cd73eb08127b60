import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chooseRuntime } from './choose-runtime.ts'
import { root } from './paths.ts'
import { prepare } from './prepare.ts'

// `npm test` (unit), `npm run test:browser` and `npm run test:nightly`; further arguments go to vitest.
const [kind = 'unit', ...args] = process.argv.slice(2)
const report = join(root, '.data/test-results', `${kind}.json`)

await prepare({ web: kind === 'browser' })
await mkdir(join(report, '..'), { recursive: true })
await rm(report, { force: true })
const config = kind === 'unit' ? [] : ['--config', `vitest.${kind}.config.ts`]
const reporters = [
  `--reporter=${kind === 'browser' ? 'verbose' : 'default'}`,
  '--reporter=json',
  `--outputFile.json=${report}`,
]
// Browser tests start a whole system, always as private processes.
const { runtime } = kind === 'browser' ? { runtime: 'native' } : await chooseRuntime('test')
const vitest = spawn('vitest', ['run', ...config, ...reporters, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SKYFOLIO_RUNTIME: runtime },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1
})
