import { execFile } from 'node:child_process'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres } from './postgres-programs.ts'
import { freePort, makeDirectory, type RunningServer, type StartOptions, startProcess } from './process.ts'
import { giveFolder, type ServerUser, unprivilegedUser } from './unprivileged-user.ts'

export interface PostgresOptions extends StartOptions {
  /** Of the superuser `postgres`; it is set when the data is made. */
  password: string
  /** Default: 200. */
  maxConnections?: number
}

/** Autovacuum would start a process for each of hundreds of test databases, again and again, and change plans by chance. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }

/** Starts PostgreSQL; creates its data when there is none. The URL has no database name. */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const { dataDir } = options
  const user = await unprivilegedUser()
  await makeDirectory(dataDir)
  if (user) await giveFolder(user, dataDir)
  const major = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => null)
  const bin = await findPostgres(user, major ? Number(major) : undefined)
  if (!major) await initialize(bin, options, user)

  const port = options.port || (await freePort())
  const url = `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}`
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(options.maxConnections ?? 200),
    ...(options.durable === false ? FAST : {}),
  }
  return startProcess({
    name: 'PostgreSQL',
    command: join(bin, 'postgres'),
    args: ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    url,
    logFile: `${dataDir}.log`,
    stopSignal: 'INT',
    user,
    ready: () => pingPostgres(url),
  })
}

async function initialize(bin: string, options: PostgresOptions, user: ServerUser | undefined): Promise<void> {
  const { dataDir, password, durable } = options
  // Created elsewhere and moved when complete: an interrupted start leaves nothing that looks like data.
  const unfinished = `${dataDir}.unfinished`
  const secret = `${dataDir}.password`
  await rm(unfinished, { recursive: true, force: true })
  await makeDirectory(unfinished)
  await writeFile(secret, password, { mode: 0o600 })
  if (user) await Promise.all([giveFolder(user, unfinished), chown(secret, user.uid, user.gid)])
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8'
  const args = ['-D', unfinished, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8']
  if (durable === false) args.push('--no-sync')
  try {
    await promisify(execFile)(join(bin, 'initdb'), [...args, `--locale=${locale}`], {
      ...(user && { uid: user.uid, gid: user.gid }),
      cwd: unfinished,
    })
    await rename(unfinished, dataDir)
  } finally {
    await rm(secret)
  }
}

/** Throws unless the server responds; the URL has no database name. */
export async function pingPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres`, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end().catch(() => {})
  }
}
