import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { componentNames, LOCAL_REGISTRATIONS_PER_HOUR } from '../components.ts'
import { describePages, pageUrl, relayLine } from './console.ts'
import { fillDemo } from './demo/demo.ts'
import { compose, composeInForeground, runningServices } from './docker.ts'
import { hasMailServer, hasPartner } from './outside-servers.ts'
import { dataDir, root } from './paths.ts'
import { preferredMailboxPort, preferredSandboxPort, publicPort, requireFreePort } from './ports.ts'
import { makePrivate } from './private-data.ts'
import { markProcess, removeRuntime, writeRuntime } from './runtime-file.ts'
import { stopOnSignal } from './signals.ts'

/** The images cannot be built. */
export class BuildError extends Error {
  override name = 'BuildError'
}

/**
 * Starts the system of docker-compose.yml, prints the logs of its components, and stops it at a signal; its data stays in
 * volumes. @throws BuildError, or Error with the reason
 */
export async function runInContainers({ demo }: { demo: boolean }): Promise<void> {
  loadSettings()
  const url = process.env.PUBLIC_ORIGIN || `http://127.0.0.1:${publicPort()}`
  if ((await runningServices()).includes('gateway')) {
    const address = (await compose('port', 'gateway', '8080')).trim()
    console.log(`Skyfolio already runs in Docker: http://${address}\n\`docker compose stop\` stops it.`)
    if (demo) await fillDemo(url, { ordersAreFree: !hasPartner() })
    return
  }
  await requireFreePort(publicPort())
  await requireFreePort(preferredSandboxPort(), 'SKYFOLIO_SANDBOX_PORT')
  await requireFreePort(preferredMailboxPort(), 'SKYFOLIO_MAILBOX_PORT')
  await makePrivate(dataDir)
  await writeRuntime({ url, runner: await markProcess('runner', process.pid), processes: [], env: {} })
  try {
    await buildAndRun(url, demo)
  } finally {
    await removeRuntime()
  }
}

async function buildAndRun(url: string, demo: boolean): Promise<void> {
  console.log('Building the images …')
  await compose('--progress', 'plain', 'build').catch((error: Error) => {
    throw new BuildError(error.message)
  })
  let logs: ChildProcess | undefined
  const { stopped, isStopping } = stopOnSignal(async () => {
    await compose('stop')
    logs?.kill()
  })
  const code = await composeInForeground(['up', '--detach', '--wait', '--no-build'])
  if (isStopping()) return stopped
  if (code !== 0) throw new Error(await describeFailure())
  logs = followLogs()
  const at = (port: number) => pageUrl(`http://127.0.0.1:${port}`, process.env.PAGE_KEY ?? '')
  const pages = describePages({
    ...(!hasPartner() && { partnerSandbox: at(preferredSandboxPort()) }),
    ...(!hasMailServer() && { mailbox: at(preferredMailboxPort()) }),
  })
  console.log(`\nSkyfolio is ready: ${url}\n${pages}\nCtrl-C stops it. Its data stays in Docker's volumes.\n`)
  if (demo) await fillDemo(url, { ordersAreFree: !hasPartner() })
  await Promise.race([stopped, endOf(logs)])
}

/** Loads .env, in which missing secrets are created, and sets what suits a system for one machine. */
function loadSettings(): void {
  const file = join(root, '.env')
  execFileSync(join(root, 'deploy/make-secrets.sh'), ['env', file], { stdio: 'inherit' })
  process.loadEnvFile(file)
  process.env.REGISTRATIONS_PER_HOUR ||= LOCAL_REGISTRATIONS_PER_HOUR
  process.env.ALLOWED_ORIGINS ||= `http://localhost:${publicPort()}`
}

async function describeFailure(): Promise<string> {
  const firstLines = await compose('logs', '--no-color', '--tail', '5', 'check-secrets', 'migrations')
  await compose('stop')
  return `The containers did not become healthy, see \`docker compose logs\`. Output of the first ones:\n${firstLines}`
}

function followLogs(): ChildProcess {
  const services = [...componentNames(), 'partner-sandbox', 'mailbox']
  const args = ['compose', 'logs', '--follow', '--no-color', '--tail', '0', ...services]
  // Ctrl-C must not end it before the components have logged their shutdown.
  const child = spawn('docker', args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, name = 'docker', text = stripVTControlCharacters(line)] = /^([\w-]+?)-\d+\s+\| (.*)$/.exec(line) ?? []
    relayLine(name, text)
  })
  return child
}

/** Resolves when the logs end: somebody else has stopped the containers. */
function endOf(logs: ChildProcess): Promise<void> {
  return new Promise((resolve) => logs.once('exit', () => resolve()))
}
