import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@skyfolio/kit'
import { freePort, type RunningServer, startNats, startPostgres, startRedis } from '@skyfolio/kit/servers'
import pg from 'pg'

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const VOTER_KEY = 'a-key-for-the-voters-of-the-benchmark'
export const FOLDER = 1
export const PHOTOS = 30
export const CONNECTIONS = 400

export interface World {
  databaseUrl: string
  postgres: RunningServer
  /** Starts a script of the repository as a process with this environment; resolves when its port answers. */
  start(script: string, env: Record<string, string>, args?: string[]): Promise<{ port: number; pid: number }>
  urls: { nats: string; redis: string }
  /** A folder for files, removed at the end. */
  folder: string
  close(): Promise<void>
}

/** Private, durable servers with one public folder of photos, and processes on them. */
export async function openWorld(): Promise<World> {
  if (!existsSync(join(root, 'services/folders/src/generated'))) await generatePrisma()
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this is run by root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    password: 'bench',
    maxConnections: CONNECTIONS + 50,
  })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const databaseUrl = `${postgres.url}/folders`
  await migrate(databaseUrl, join(root, 'services/folders/prisma/migrations'))
  await seed(databaseUrl)

  const children: ChildProcess[] = []
  return {
    databaseUrl,
    postgres,
    urls: { nats: nats.url, redis: redis.url },
    folder,
    async start(script, env, args = []) {
      const port = await freePort()
      const child = spawn(process.execPath, [join(root, script), ...args], {
        env: { ...process.env, LOG_LEVEL: 'warn', PORT: String(port), OPS_PORT: '0', ...env },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      children.push(child)
      await untilAnswers(port, child)
      return { port, pid: child.pid ?? 0 }
    },
    async close() {
      await Promise.all(children.map(end))
      await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function generatePrisma(): Promise<void> {
  const child = spawn('prisma', ['generate', '--schema', join(root, 'services/folders/prisma/schema.prisma')], {
    // Generating needs no engine, but the command asks for one.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' },
    stdio: 'inherit',
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error('The Prisma client could not be generated.')
}

async function seed(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `INSERT INTO folders (id, user_id, name, is_public, share_code) VALUES (${FOLDER}, 1, 'Bench', true, 'bench')`,
  )
  await client.query(
    `INSERT INTO photos (id, revision, user_id, folder_id) SELECT id, 1, 1, ${FOLDER} FROM generate_series(1, ${PHOTOS}) AS id`,
  )
  // A folder among many, in a projection of some size.
  await client.query(
    `INSERT INTO photos (id, revision, user_id, folder_id) SELECT id, 1, 1, 1000 + id / 30 FROM generate_series(1001, 50000) AS id`,
  )
  await client.query('VACUUM ANALYZE')
  await client.end()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

async function untilAnswers(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && child.exitCode === null; ) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Nothing answers on port ${port}.`)
}

/** An empty built application for the gateway. */
export async function emptyWebRoot(folder: string): Promise<string> {
  const path = join(folder, 'web')
  await mkdir(path)
  await writeFile(join(path, 'index.html'), '<!doctype html><title>bench</title>')
  return path
}
