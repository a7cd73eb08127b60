import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDENTITY_HEADER, signIdentity } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startProcess, startRedis } from '@skyfolio/testkit/servers'

const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'

/** The headers of a user's requests to media. */
export function headersOf(userId: number): Record<string, string> {
  const user = { userId, username: `bench-${userId}`, isAdmin: false, sessionHash: 'bench' }
  const identity = { ...user, address: '127.0.0.1', confirmedAt: null }
  return { [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]) }
}

const here = fileURLToPath(new URL('..', import.meta.url))

/** Private servers with a migrated database, in a temporary `folder`, and media's processes using them. */
export async function startBenchSystem() {
  execFileSync(process.execPath, [join(here, '../../deploy/local/prepare.ts')])
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this runs as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const servers = [postgres, redis, nats]
  const databaseUrl = `${postgres.url}/media`
  await migrate(databaseUrl, join(here, 'prisma/migrations'))
  /** Environment of API and worker without their ports. */
  const env = {
    LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    OBJECT_STORE_DIR: join(folder, 'objects'),
    IDENTITY_KEYS: IDENTITY_KEY,
    PUBLIC_ORIGIN: 'http://skyfolio.test',
    PRINT_IMAGE_KEYS: IDENTITY_KEY,
    LINK_KEYS: IDENTITY_KEY,
  }

  /** Starts the API or the worker as a process; resolves with its origin when it is ready. */
  async function start(name: 'main' | 'worker'): Promise<string> {
    const [port, opsPort] = [await freePort(), await freePort()]
    const server = await startProcess({
      name,
      command: process.execPath,
      args: [join(here, `src/${name}.ts`)],
      url: `http://127.0.0.1:${port}`,
      logFile: join(folder, `${name}.log`),
      stopSignal: 'TERM',
      env: { ...env, PORT: String(port), OPS_PORT: String(opsPort) },
      async ready() {
        const { ok } = await fetch(`http://127.0.0.1:${opsPort}/readyz`)
        if (!ok) throw new Error(`${name} is not ready`)
      },
    })
    servers.unshift(server)
    return server.url
  }

  async function close(): Promise<void> {
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  return { folder, env, start, close }
}
