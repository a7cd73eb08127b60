import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDENTITY_HEADER, signIdentity } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import { buildPlaces } from '../scripts/build-places.ts'

const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'

/** The headers of a user's requests to media. */
export function headersOf(userId: number): Record<string, string> {
  const user = { userId, username: `bench-${userId}`, isAdmin: false, sessionHash: 'bench' }
  const identity = { ...user, address: '127.0.0.1', confirmedAt: null }
  return { [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]) }
}

const here = fileURLToPath(new URL('..', import.meta.url))

export interface BenchSystem {
  /** A temporary folder, removed at the end. */
  folder: string
  /** Environment of API and worker without their ports. */
  env: Record<string, string>
  /** Starts the API or the worker as a process; resolves with its port when it is ready. */
  start(script: 'src/main.ts' | 'src/worker.ts'): Promise<number>
  close(): Promise<void>
}

/** Private servers with a migrated database, and media's processes using them. */
export async function startBenchSystem(): Promise<BenchSystem> {
  // Generating needs no engine, but the command requires one.
  const generating = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }
  if (!existsSync(join(here, 'src/generated'))) execFileSync('prisma', ['generate'], { cwd: here, env: generating })
  buildPlaces()
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this runs as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const databaseUrl = `${postgres.url}/media`
  await migrate(databaseUrl, join(here, 'prisma/migrations'))
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
  const children: ChildProcess[] = []
  return {
    folder,
    env,
    async start(script) {
      const [port, opsPort] = [await freePort(), await freePort()]
      const child = spawn(process.execPath, [join(here, script)], {
        env: { ...process.env, ...env, PORT: String(port), OPS_PORT: String(opsPort) },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      children.push(child)
      await untilReady(opsPort, child)
      return port
    },
    async close() {
      await Promise.all(children.map(stop))
      await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

async function untilReady(opsPort: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && child.exitCode === null; ) {
    const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('A process of media did not become ready.')
}
