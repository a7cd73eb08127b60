import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './paths.ts'
import { readRuntime } from './state.ts'

// `npm run admin`, `npm run media:reconcile`: a service's command. The environment names the servers, or else the
// running local system does.
const [service = '', file = '', ...args] = process.argv.slice(2)
const named = process.env.DATABASE_URL !== undefined
const runtime = named ? null : await readRuntime()
if (!named && !runtime) {
  process.stderr.write('Skyfolio is not running here. Start it with `npm start`, or set DATABASE_URL.\n')
  process.exit(1)
}
const child = spawn(process.execPath, [join(root, file), ...args], {
  cwd: root,
  env: { ...process.env, ...runtime?.env[service] },
  stdio: 'inherit',
})
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
