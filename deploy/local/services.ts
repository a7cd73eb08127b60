import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import {
  COMPONENTS,
  type Component,
  componentNamed,
  databaseName,
  databases,
  inStartOrder,
  migrationsFolder,
  type Use,
  variableOf,
} from '../components.ts'
import { relayOutput } from './console.ts'
import { MAIL_VARIABLES, NO_OUTSIDE_SERVERS, PARTNER_VARIABLES, settingsNamed } from './outside-servers.ts'
import { dataDir, root } from './paths.ts'
import type { Secrets } from './runtime-file.ts'
import type { RunningProcess } from './supervisor.ts'

/** Where the servers of this run listen. */
export interface ServerUrls {
  /** Without a database name; may have a query. */
  postgres: string
  redis: string
  nats: string
  /** The partner API of deploy/partner-sandbox; absent when the environment names the partner. */
  partnerSandbox?: string
  /** SMTP of deploy/mailbox; absent when the environment names a mail server. */
  mailbox?: string
}

/** The credentials that the local partner sandbox accepts. */
export const SANDBOX_CREDENTIALS = { apiKey: 'sandbox-key', affiliateId: 'sandbox-affiliate' }

/** The sender of mails in a local system. */
const LOCAL_MAIL_FROM = 'Skyfolio <no-reply@skyfolio.test>'

/** What the environment of the components is made from. */
export interface LocalSettings {
  servers: ServerUrls
  secrets: Pick<Secrets, 'identityKey' | 'voterKey' | 'linkKey' | 'printImageKey'>
  publicOrigin: string
  /** Differs from the public origin's port in watch mode. */
  gatewayPort: number
  /** By component. */
  ports: Record<string, { http: number; ops: number }>
}

export interface LocalPlan {
  /** The databases to migrate before anything starts. */
  migrations: { service: string; url: string; folder: string }[]
  /** In the order of their start. */
  processes: { name: string; entryPoint: string; opsPort: number }[]
  /** The environment of each component, by name. */
  env: Record<string, Record<string, string>>
}

/** What the local system starts, and with which environment. */
export function planServices(settings: LocalSettings): LocalPlan {
  return {
    migrations: databases().map((service) => ({
      service,
      url: databaseUrl(process.env.SKYFOLIO_MIGRATIONS_URL || settings.servers.postgres, service),
      folder: migrationsFolder(service),
    })),
    processes: inStartOrder().map(({ name, entryPoint }) => ({
      name,
      entryPoint,
      opsPort: settings.ports[name]?.ops ?? 0,
    })),
    env: Object.fromEntries(COMPONENTS.map((component) => [component.name, environmentOf(component, settings)])),
  }
}

function environmentOf(component: Component, settings: LocalSettings): Record<string, string> {
  const { name, database, uses, calls = [], isPublic, localEnvironment } = component
  const { publicOrigin, ports } = settings
  const httpPort = (called: Component) => (called.isPublic ? settings.gatewayPort : (ports[called.name]?.http ?? 0))
  return {
    PUBLIC_ORIGIN: publicOrigin,
    OPS_PORT: String(ports[name]?.ops),
    ...(component.servesHttp && { PORT: String(httpPort(component)) }),
    ...(database && { DATABASE_URL: databaseUrl(settings.servers.postgres, database) }),
    ...Object.assign({}, ...uses.map((use) => environmentOfUse(use, settings))),
    ...Object.fromEntries(
      calls.map((called) => [variableOf(called, 'URL'), `http://127.0.0.1:${httpPort(componentNamed(called))}`]),
    ),
    ...(isPublic && { ALLOWED_ORIGINS: publicOrigin.replace('127.0.0.1', 'localhost') }),
    ...localEnvironment,
    ...JSON.parse(process.env.SKYFOLIO_COMPONENT_ENV || '{}')[name],
  }
}

/** The URL may name several hosts, which `URL` does not parse. */
function databaseUrl(serverUrl: string, service: string): string {
  const [server, query] = serverUrl.split('?')
  return `${server}/${databaseName(service)}${query ? `?${query}` : ''}`
}

function environmentOfUse(use: Use, { servers, secrets, gatewayPort }: LocalSettings): Record<string, string> {
  switch (use) {
    case 'redis':
      return { REDIS_URL: servers.redis }
    case 'nats':
      return { NATS_URL: servers.nats }
    case 'objectStore':
      return objectStoreSettings()
    case 'identity':
      return { IDENTITY_KEYS: secrets.identityKey }
    case 'voter':
      return { VOTER_KEYS: secrets.voterKey }
    case 'links':
      return { LINK_KEYS: secrets.linkKey }
    case 'printImages':
      return { PRINT_IMAGE_KEYS: secrets.printImageKey }
    case 'partner':
      return {
        ...(servers.partnerSandbox && { PARTNER_SANDBOX_URL: servers.partnerSandbox }),
        PARTNER_API_KEY: SANDBOX_CREDENTIALS.apiKey,
        PARTNER_AFFILIATE_ID: SANDBOX_CREDENTIALS.affiliateId,
        PRINT_IMAGE_ORIGIN: `http://127.0.0.1:${gatewayPort}`,
        ...settingsNamed(PARTNER_VARIABLES),
      }
    case 'mail':
      return {
        ...(servers.mailbox && { SMTP_URL: servers.mailbox }),
        MAIL_FROM: LOCAL_MAIL_FROM,
        ...settingsNamed(MAIL_VARIABLES),
      }
    case 'loadTest':
      // LOAD_TEST_KEY of the runner's own environment, which every process inherits.
      return {}
  }
}

const S3_VARIABLES = ['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']

/** A directory, unless the runner's own environment names an S3 bucket. */
function objectStoreSettings(): Record<string, string> {
  if (!process.env.S3_ENDPOINT) return { OBJECT_STORE_DIR: join(dataDir, 'objects') }
  return settingsNamed(S3_VARIABLES)
}

/**
 * On one machine that runs everything, memory counts for more than the last bit of throughput. SKYFOLIO_HEAP=default leaves
 * the heap as it is in the images: for benchmarks.
 */
const SMALL_HEAP = process.env.SKYFOLIO_HEAP === 'default' ? [] : ['--max-semi-space-size=1', '--optimize-for-size']
/** Of glibc, which otherwise keeps one for each thread. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: '2' }

/** Starts one Node process of the system; its output is printed under its name. */
export async function startNode(name: string, args: string[], env: Record<string, string>): Promise<RunningProcess> {
  const exitWithRunner = ['--import', join(root, 'deploy/local/exit-with-runner.mjs')]
  const child = spawn(process.execPath, [...exitWithRunner, ...SMALL_HEAP, ...args], {
    cwd: root,
    // Credentials of the partner and of a mail server go to the components alone that use them.
    env: { ...FEW_ARENAS, ...process.env, ...NO_OUTSIDE_SERVERS, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C goes to the runner alone, which stops the services before the servers that they need.
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
const KILL_AFTER_MS = 25_000

async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  child.kill('SIGTERM')
  await exited
  clearTimeout(kill)
}
