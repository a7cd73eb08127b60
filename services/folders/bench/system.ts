import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, type RunningServer, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import pg from 'pg'

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const VOTER_KEY = 'a-key-for-the-voters-of-the-benchmark'
export const BALLOTS = 1_000_000
/** The measured folders, each with photos of consecutive ids. */
export const FOLDERS = {
  small: { id: 1, code: 'small', firstPhoto: 1, photos: 30 },
  'many ballots': { id: 2, code: 'ballots', firstPhoto: 101, photos: 30 },
  'many photos': { id: 3, code: 'photos', firstPhoto: 100_001, photos: 5_000 },
  locked: { id: 4, code: 'locked', firstPhoto: 201, photos: 30 },
}
export type FolderName = keyof typeof FOLDERS
export const CONNECTIONS = 400

export interface BenchSystem {
  databaseUrl: string
  postgres: RunningServer
  /** Starts a script of the repository as a process with this environment; resolves when its port accepts requests. */
  start(script: string, env: Record<string, string>, args?: string[]): Promise<{ port: number; pid: number }>
  urls: { nats: string; redis: string }
  /** A temporary directory, removed by `close`. */
  folder: string
  close(): Promise<void>
}

/** Private, durable servers with public folders of photos; `start` adds processes. */
export async function startBenchSystem(): Promise<BenchSystem> {
  if (!existsSync(join(root, 'services/folders/src/generated'))) await generatePrisma()
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user if this process is root's.
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
      await waitUntilListening(port, child)
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
    // Generating needs no engine, but the command requires one.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' },
    stdio: 'inherit',
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error('Prisma client generation failed')
}

const FOLDER = `
WITH folder AS (INSERT INTO folders (id, user_id, name, is_public) VALUES ($1, 1, $2, true) RETURNING id)
INSERT INTO links (id, folder_id, main, code, name, kind, revision) SELECT id, id, true, $2, 'Main link', 'vote', 1 FROM folder`
/** The password itself is never entered: who votes has the cookie. */
const LOCK = `
WITH link AS (UPDATE links SET password_hash = '', password_revision = revision WHERE code = 'locked' RETURNING folder_id)
UPDATE folders SET ids_suffice = false FROM link WHERE id = folder_id`

async function seed(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const { id, code, firstPhoto, photos } of Object.values(FOLDERS)) {
    await client.query(FOLDER, [id, code])
    await client.query(PHOTOS, [firstPhoto, firstPhoto + photos - 1, id])
  }
  await client.query(LOCK)
  // Many other folders, for a projection of realistic size.
  await client.query(
    `INSERT INTO photos (id, revision, user_id, folder_id) SELECT id, 1, 1, 1000 + id / 30 FROM generate_series(1001, 50000) AS id`,
  )
  await client.query('VACUUM ANALYZE')
  await client.end()
}

// Rows as large as those of drone photos.
const PHOTOS = `
INSERT INTO photos (id, revision, user_id, folder_id, title, filename, filesize, latitude, longitude, altitude, city, county,
  state, date_taken, status, width, height, thumbnail, preview, thumbhash)
SELECT id, 1, 1, $3, 'DJI_' || id, md5(id::text) || '.jpg', 8000000 + id, (40 + id / 1e6)::text, (-105 - id / 1e6)::text,
  120.5, 'Boulder', 'Boulder County', 'Colorado', '2026-05-01T10:00:00', 'ready', 5280, 3956,
  't/' || md5('t' || id) || '.webp', 'p/' || md5('p' || id) || '.webp', encode(sha256(id::text::bytea), 'base64')
FROM generate_series($1::integer, $2::integer) AS id`

/** Fills the folder of many ballots, three ranks each, with matching tallies. */
export async function seedBallots(databaseUrl: string): Promise<void> {
  const { id, firstPhoto, photos } = FOLDERS['many ballots']
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const photoAt = (offset: number) => `${firstPhoto} + (number + ${offset}) % ${photos}`
  await client.query(`
INSERT INTO ballots (folder_id, voter, first, second, third, last_photo_id, last_rank, address, token)
SELECT ${id}, md5(number::text)::uuid, ${photoAt(0)}, ${photoAt(1)}, ${photoAt(2)}, ${photoAt(2)}, 3, md5('a' || number)::uuid, md5('t' || number)::uuid
FROM generate_series(1, ${BALLOTS}) AS number`)
  await client.query(`
INSERT INTO tallies (folder_id, photo_id, first, second, third)
SELECT ${id}, photo, count(*) FILTER (WHERE first = photo), count(*) FILTER (WHERE second = photo), count(*) FILTER (WHERE third = photo)
FROM ballots JOIN generate_series(${firstPhoto}, ${firstPhoto + photos - 1}) AS photo ON photo IN (first, second, third)
WHERE folder_id = ${id} GROUP BY photo`)
  await client.query('VACUUM ANALYZE ballots')
  await client.query('CHECKPOINT')
  await client.end()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && child.exitCode === null; ) {
    const isListening = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isListening) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no response on port ${port}`)
}
