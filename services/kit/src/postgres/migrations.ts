import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolveBinary } from 'dbmate'
import pg from 'pg'
import { hostUrls } from '../process/config.ts'
import { connectOnce, missingMigrations } from './applied-migrations.ts'
import { writableHost } from './connection.ts'

export { attempts, connectOnce, EarlierDatabaseError, missingMigrations, reasonOf } from './applied-migrations.ts'

const DATABASE_MISSING = '3D000'

/**
 * What the services' sessions need. Settings of the database reach them through PgBouncer too, and dumps do not contain them.
 * On SSDs random reads cost little more than sequential ones, and no query here is worth JIT compilation.
 */
const SESSION_SETTINGS = {
  statement_timeout: '15s',
  idle_in_transaction_session_timeout: '30s',
  random_page_cost: '1.1',
  jit: 'off',
}

/** Sets them on a database, by default the client's own, for sessions that begin afterwards. Only its owner may. */
export async function setSessionSettings(client: pg.Client, database = client.database ?? ''): Promise<void> {
  const set = Object.entries(SESSION_SETTINGS).map(
    ([setting, value]) => `ALTER DATABASE ${pg.escapeIdentifier(database)} SET ${setting} = '${value}'`,
  )
  await client.query(set.join(';'))
}

/**
 * Creates the database when missing, applies the dbmate migrations in the folder that it lacks, and sets what sessions need.
 * @throws EarlierDatabaseError, and Error with what failed
 */
export async function migrate(url: string, migrationsDir: string): Promise<void> {
  if (!(await isMigrated(url, migrationsDir))) await dbmate('up', url, migrationsDir)
  const client = await connectOnce(url)
  await setSessionSettings(client).finally(() => client.end())
}

async function isMigrated(url: string, migrationsDir: string): Promise<boolean> {
  const client = await connectOnce(url).catch((error: pg.DatabaseError) => {
    // Of several hosts it is the cause.
    const { code } = (error.cause ?? error) as pg.DatabaseError
    if (code === DATABASE_MISSING) return null
    throw error
  })
  if (!client) return false
  try {
    return (await missingMigrations(client, migrationsDir)).length === 0
  } finally {
    await client.end()
  }
}

/**
 * Applies the dbmate migrations in the folder to an existing database; needs no rights beyond those in it. The signal
 * ends dbmate.
 */
export function applyMigrations(url: string, migrationsDir: string, signal?: AbortSignal): Promise<void> {
  return dbmate('migrate', url, migrationsDir, signal)
}

async function dbmate(
  command: 'up' | 'migrate',
  url: string,
  migrationsDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const hosts = hostUrls(url)
  const { pathname } = hosts[0]
  // The database that is to be created cannot be asked.
  if (command === 'up') for (const host of hosts) host.pathname = '/postgres'
  const target = await writableHost(hosts)
  target.pathname = pathname
  target.searchParams.delete('target_session_attrs')
  // A migration may take longer than the statements of services.
  target.searchParams.set('statement_timeout', '0')
  // dbmate requires TLS by default, node-postgres does not: both must reach the same server.
  if (!target.searchParams.has('sslmode')) target.searchParams.set('sslmode', 'disable')
  // Arguments are visible to every user of the machine, the environment is not.
  // biome-ignore lint/style/noProcessEnv: handed on to the program as it is, and nothing in it is read
  const env = { ...process.env, DATABASE_URL: target.href }
  try {
    await promisify(execFile)(resolveBinary(), ['--migrations-dir', migrationsDir, '--no-dump-schema', command], {
      env,
      signal,
    })
  } catch (error) {
    throw new Error(`Migrations in ${migrationsDir} failed: ${(error as { stderr?: string }).stderr || error}`)
  }
}
