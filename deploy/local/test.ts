import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chooseRuntime } from './choose-runtime.ts'
import { reportPath, root } from './paths.ts'
import { prepare } from './prepare.ts'

// `npm test` (unit), `npm run test:browser` and `npm run test:nightly`; further arguments go to vitest.
const [kind = 'unit', ...args] = process.argv.slice(2)

await prepare({ web: kind === 'browser' })
await mkdir(dirname(reportPath(kind)), { recursive: true })
// Browser tests start a whole system, always as private processes.
const { runtime } = kind === 'browser' ? { runtime: 'native' } : await chooseRuntime('test')
await rm(reportPath(kind), { force: true })
const config = kind === 'unit' ? [] : ['--config', `vitest.${kind}.config.ts`]
const reporters = [
  `--reporter=${kind === 'browser' ? 'verbose' : 'default'}`,
  '--reporter=json',
  `--outputFile.json=${reportPath(kind)}`,
]
const vitest = spawn('vitest', ['run', ...config, ...reporters, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SKYFOLIO_RUNTIME: runtime },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
const [code] = await once(vitest, 'exit')
process.exitCode = code ?? 1
