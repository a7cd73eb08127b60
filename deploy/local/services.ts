import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { relayOutput } from './console.ts'
import { dataDir, root } from './paths.ts'
import type { Secrets } from './state.ts'
import type { Running } from './supervisor.ts'

/** Where the servers of this run listen. */
export interface ServerUrls {
  /** Without a database name. */
  postgres: string
  redis: string
  nats: string
}

export interface Ports {
  auth: number
  media: number
  folders: number
  ops: Record<string, number>
}

/** Each Node process of the system and the file that starts it. */
export const entryPoints: Record<string, string> = {
  auth: 'services/auth/src/main.ts',
  folders: 'services/folders/src/main.ts',
  media: 'services/media/src/main.ts',
  worker: 'services/media/src/worker.ts',
  gateway: 'gateway/src/main.ts',
}

/** A single machine registers whoever sits before it: the public limit would only get in the way. */
export const localRegistrationsPerHour = '1000'

const s3Settings = ['OBJECT_STORE', 'S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']

/** Objects lie in a directory, unless the runner's own environment names an S3 bucket. */
function storeSettings(): Record<string, string> {
  if (process.env.OBJECT_STORE !== 's3') return { OBJECT_STORE: 'dir', OBJECT_STORE_DIR: join(dataDir, 'objects') }
  return Object.fromEntries(s3Settings.map((name) => [name, process.env[name] ?? '']).filter(([, value]) => value))
}

/** The environment of every process. `gatewayPort` differs from the public origin's in development. */
export function environments(
  urls: ServerUrls,
  ports: Ports,
  secrets: Secrets,
  publicOrigin: string,
  gatewayPort: number,
): Record<string, Record<string, string>> {
  const common = (name: string) => ({
    NATS_URL: urls.nats,
    REDIS_URL: urls.redis,
    IDENTITY_KEYS: secrets.identityKey,
    PUBLIC_ORIGIN: publicOrigin,
    OPS_PORT: String(ports.ops[name]),
  })
  const database = (name: string) => ({ DATABASE_URL: `${urls.postgres}/skyfolio_${name}` })
  const store = storeSettings()
  const upstream = (port: number) => `http://127.0.0.1:${port}`
  return {
    auth: {
      ...common('auth'),
      ...database('auth'),
      PORT: String(ports.auth),
      REGISTRATIONS_PER_HOUR: localRegistrationsPerHour,
    },
    folders: {
      ...common('folders'),
      ...database('folders'),
      PORT: String(ports.folders),
      VOTER_KEYS: secrets.voterKey,
    },
    media: { ...common('media'), ...database('media'), ...store, PORT: String(ports.media) },
    worker: { ...common('worker'), ...database('media'), ...store },
    gateway: {
      ...common('gateway'),
      PORT: String(gatewayPort),
      ALLOWED_ORIGINS: publicOrigin.replace('127.0.0.1', 'localhost'),
      AUTH_URL: upstream(ports.auth),
      MEDIA_URL: upstream(ports.media),
      FOLDERS_URL: upstream(ports.folders),
      WEB_ROOT: join(root, 'web/dist'),
    },
  }
}

/** On one machine that runs everything, memory counts for more than the last bit of throughput. */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size']

/** Starts one Node process of the system; its log appears under its name. */
export async function startNode(name: string, args: string[], env: Record<string, string>): Promise<Running> {
  const follow = ['--import', join(root, 'deploy/local/follow-runner.mjs')]
  const child = spawn(process.execPath, [...follow, ...smallHeap, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C goes to the runner alone, which ends the services before the servers that they need.
    detached: true,
  })
  relayOutput(name, child.stdout)
  relayOutput(name, child.stderr)
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
  })
  return { pid: child.pid ?? 0, exited, stop: () => stopChild(child, exited) }
}

/** Longer than the services' own time to drain. */
const patienceMs = 25_000

async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  child.kill('SIGTERM')
  await exited
  clearTimeout(force)
}
