import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { composeInForeground, runningServices } from './docker.ts'
import { root } from './paths.ts'
import { isAlive, readRuntime } from './state.ts'

// `npm run admin`, `npm run media:reconcile`: a service's command. The environment names the servers, or else the
// running local system does; where that runs in Docker, the command does too.
const [service = '', file = '', ...args] = process.argv.slice(2)

async function main(): Promise<number> {
  if (process.env.DATABASE_URL || process.env.NATS_URL) return runHere({})
  const runtime = await readRuntime()
  const env = runtime && (await isAlive(runtime.runner)) ? runtime.env[service] : undefined
  if (env) return runHere(env)
  const container = service === 'worker' ? 'media-worker' : service
  if ((await runningServices()).includes(container)) return runInContainer(container)
  process.stderr.write(
    'Skyfolio is not running here. Start it with `npm start`, or name its servers in the environment.\n',
  )
  return 1
}

function runHere(env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

function runInContainer(container: string): Promise<number> {
  const terminal = process.stdin.isTTY && process.stdout.isTTY ? [] : ['--no-TTY']
  return composeInForeground(['exec', ...terminal, container, 'node', file, ...args])
}

process.exitCode = await main()
