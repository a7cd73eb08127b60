import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { relayLine } from './console.ts'
import { fillDemo } from './demo.ts'
import { compose, composeInForeground, runningServices } from './docker.ts'
import { dataDir, root } from './paths.ts'
import { publicPort, refuseTakenPort } from './ports.ts'
import { localRegistrationsPerHour } from './services.ts'
import { stopOnSignal } from './signals.ts'
import { forgetRuntime, markProcess, writeRuntime } from './state.ts'

/** The images could not be built. */
export class BuildError extends Error {
  override name = 'BuildError'
}

const ours = ['gateway', 'auth', 'media', 'media-worker', 'folders']

/**
 * Brings the system of docker-compose.yml up, shows what its services say, and stops it at a signal; its data stays in
 * volumes. @throws BuildError, or Error with what is wrong
 */
export async function runInContainers({ demo }: { demo: boolean }): Promise<void> {
  loadSettings()
  const url = process.env.PUBLIC_ORIGIN || `http://127.0.0.1:${publicPort()}`
  if ((await runningServices()).includes('gateway')) {
    const address = (await compose('port', 'gateway', '8080')).trim()
    console.log(`Skyfolio already runs in Docker: http://${address}\n\`docker compose stop\` stops it.`)
    if (demo) await fillDemo(url)
    return
  }
  await refuseTakenPort(publicPort())
  await mkdir(dataDir, { recursive: true })
  await writeRuntime({ url, runner: await markProcess('runner', process.pid), processes: [], env: {} })
  try {
    await buildAndRun(url, demo)
  } finally {
    await forgetRuntime()
  }
}

async function buildAndRun(url: string, demo: boolean): Promise<void> {
  console.log('Building the images …')
  await compose('--progress', 'plain', 'build').catch((error: Error) => {
    throw new BuildError(error.message)
  })
  let logs: ChildProcess | undefined
  const { stopped, asked } = stopOnSignal(async () => {
    await compose('stop')
    logs?.kill()
  })
  const code = await composeInForeground(['up', '--detach', '--wait', '--no-build'])
  if (asked()) return stopped
  if (code !== 0) throw new Error(await whyNotUp())
  logs = showLogs()
  console.log(`\nSkyfolio is ready: ${url}\nCtrl-C stops it. Its data stays in Docker's volumes.\n`)
  if (demo) await fillDemo(url)
  await Promise.race([stopped, ended(logs)])
}

/** The settings of .env, which is made when it is missing, and those of a system for the people of this machine. */
function loadSettings(): void {
  const file = join(root, '.env')
  if (!existsSync(file)) execFileSync(join(root, 'deploy/make-secrets.sh'), ['env', file], { stdio: 'inherit' })
  process.loadEnvFile(file)
  process.env.REGISTRATIONS_PER_HOUR ||= localRegistrationsPerHour
  process.env.ALLOWED_ORIGINS ||= `http://localhost:${publicPort()}`
}

async function whyNotUp(): Promise<string> {
  const said = await compose('logs', '--no-color', '--tail', '5', 'check-secrets', 'migrations')
  await compose('stop')
  return `The containers did not become healthy: \`docker compose logs\` tells all. The first of them said:\n${said}`
}

function showLogs(): ChildProcess {
  const args = ['compose', 'logs', '--follow', '--no-color', '--tail', '0', ...ours]
  // Ctrl-C must not end it before the services have said their last.
  const child = spawn('docker', args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, name = 'docker', text = stripVTControlCharacters(line)] = /^([\w-]+?)-\d+\s+\| (.*)$/.exec(line) ?? []
    relayLine(name, text)
  })
  return child
}

/** Resolves when the logs have ended, since others have stopped the containers. */
function ended(logs: ChildProcess): Promise<void> {
  return new Promise((resolve) => logs.once('exit', () => resolve()))
}
