import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPool } from '@skyfolio/kit/database'
import { startPostgres, type TestServer, testDirectory, waitFor } from '@skyfolio/testkit'
import { freePort, startPostgres as startOwnPostgres } from '@skyfolio/testkit/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, variableOf } from '../components.ts'
import { launchSystem } from '../local/launch.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const services = databases().sort()
const versions = (service: string) =>
  readdirSync(join(root, `services/${service}/prisma/migrations`)).map((file) => file.split('_')[0] ?? '')

let server: TestServer
let databaseSets = 0

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

/** Empty databases of all services, and their URLs as the job reads them. */
async function newDatabases() {
  const prefix = `set${databaseSets++}`
  const name = (service: string) => `${prefix}_${service}`
  await query('postgres', ...services.map((service) => `CREATE DATABASE "${name(service)}"`))
  const url = (service: string) => `${server.url}/${name(service)}`
  const environment = () =>
    Object.fromEntries(services.map((service) => [variableOf(service, 'DATABASE_URL'), url(service)]))
  return { name, url, environment }
}

/** The database is one of this server, or a URL. */
async function query(database: string, ...statements: string[]) {
  const pool = openPool(new URL(database, `${server.url}/`).href, { max: 1 })
  try {
    for (const statement of statements.slice(0, -1)) await pool.query(statement)
    return await pool.query(statements.at(-1) ?? '')
  } finally {
    await pool.end()
  }
}

const appliedIn = async (database: string) =>
  (await query(database, 'SELECT version FROM schema_migrations ORDER BY version')).rows.map((row) => row.version)

function start(script: string, args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, script), ...args], { env: { PATH: process.env.PATH, ...env } })
  const running = { output: '', end: () => child.kill('SIGTERM'), ended: Promise.resolve<number | null>(null) }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (running.output += chunk))
  running.ended = new Promise((resolve) => child.once('close', resolve))
  return running
}

const says = (running: { output: string }, text: string) =>
  waitFor(() => running.output.includes(text), { what: `"${text}"`, timeoutMs: 50_000 })
const migrate = (env: Record<string, string>) => start('deploy/migrations/migrate.ts', [], env)
const awaitMigrations = (service: string, url: string, env: Record<string, string> = {}) =>
  start('services/kit/src/await-migrations.ts', [service], { DATABASE_URL: url, ...env })

/** Add those of a release when it is tagged. */
const RELEASED = {
  'services/auth/prisma/migrations/20261128000000_baseline.sql':
    '9a0fa3f5ca9c34b365436dcfe16350818d781017de34fe0c2a997e2206ebb9d3',
  'services/folders/prisma/migrations/20261128000000_baseline.sql':
    '5220f2a515888ce6ce0f081b52f6e4aa11a6360850aa0101769693489aaf61f8',
  'services/media/prisma/migrations/20261128000000_baseline.sql':
    'b772366576d3f78991fc21d619bc4c0f827a794df0673f174f9df1689c4bbe09',
  'services/print-orders/prisma/migrations/20261128000000_baseline.sql':
    '8a3be352d47b969d4398982c8a58c1a565a054a26864efcea93da75aba6d8d27',
}

test.each(Object.entries(RELEASED))('the released migration %s is as it was', async (file, digest) => {
  expect(hash('sha256', await readFile(join(root, file)))).toBe(digest)
})

test('two concurrent jobs apply everything once, and a third has nothing to do', async () => {
  const databaseSet = await newDatabases()
  const both = [migrate(databaseSet.environment()), migrate(databaseSet.environment())]
  expect(await Promise.all(both.map((job) => job.ended)), both.map((job) => job.output).join()).toEqual([0, 0])
  const lines = both.flatMap((job) => job.output.trim().split('\n')).sort()
  expect(lines).toEqual(
    services.flatMap((service) => [
      `${service}: applied ${versions(service).join(', ')}`,
      `${service}: nothing to apply`,
    ]),
  )
  for (const service of services) expect(await appliedIn(databaseSet.name(service))).toEqual(versions(service))

  const again = migrate(databaseSet.environment())
  expect([await again.ended, again.output.trim().split('\n').sort()]).toEqual([
    0,
    services.map((service) => `${service}: nothing to apply`),
  ])
})

test('the job and the services wait for a server that starts later', async () => {
  const databaseSet = await newDatabases()
  await server.kill()
  const job = migrate(databaseSet.environment())
  const service = awaitMigrations('auth', databaseSet.url('auth'))
  await says(job, 'auth: waits: ')
  await says(service, 'auth: waits: ')
  await server.start()
  expect([await job.ended, await service.ended], job.output + service.output).toEqual([0, 0])
})

/** Blocks the first migration of auth by a lock on its table, until it is released. */
async function holdBack(database: string) {
  const pool = openPool(`${server.url}/${database}`, { max: 1 })
  const blocker = await pool.connect()
  await blocker.query('BEGIN')
  await blocker.query('CREATE TABLE users (id int)')
  const release = async () => {
    await blocker.query('ROLLBACK')
    blocker.release()
    await pool.end()
  }
  return release
}

const sessionsIn = async (database: string, condition = 'true') =>
  (await query('postgres', `SELECT FROM pg_stat_activity WHERE datname = '${database}' AND ${condition}`)).rowCount

test('a job that cannot migrate a database fails, and names the service and the reason', async () => {
  const databaseSet = await newDatabases()
  const release = await holdBack(databaseSet.name('auth'))
  const otherJob = openPool(databaseSet.url('media'), { max: 1 })
  try {
    await query(databaseSet.name('folders'), 'CREATE TABLE folders (id int)')
    await otherJob.query(`SELECT pg_advisory_lock(hashtext('skyfolio migrations'))`)
    const unreachable = `postgres://orders@127.0.0.1:${await freePort()}/orders`
    const env = { PRINT_ORDERS_DATABASE_URL: unreachable, MIGRATION_WAIT_SECONDS: '1' }
    const job = migrate({ ...databaseSet.environment(), ...env })
    expect(await job.ended).toBe(1)
    expect(job.output).toMatch(/^auth: failed: .*lock timeout/ms)
    expect(job.output).toMatch(/^folders: failed: .*already exists/ms)
    expect(job.output).toMatch(/^media: failed: another job has been migrating this database for longer/m)
    expect(job.output).toMatch(/^print-orders: failed: connect ECONNREFUSED/m)
  } finally {
    await release()
    await otherJob.end()
  }
})

test('a job that would go through PgBouncer fails at once, and names the value of the chart', async () => {
  const databaseSet = await newDatabases()
  const env = { ...databaseSet.environment(), AUTH_DATABASE_URL: `${databaseSet.url('auth')}?pgbouncer=true` }
  const job = migrate(env)
  expect(await job.ended).toBe(1)
  expect(job.output).toContain('auth: failed: its URL has pgbouncer=true')
  expect(job.output).toContain('postgresql.directSecret')
})

test('a terminated job also ends the program that applies migrations', async () => {
  const databaseSet = await newDatabases()
  const auth = databaseSet.name('auth')
  const release = await holdBack(auth)
  const job = migrate(databaseSet.environment())
  await waitFor(async () => (await sessionsIn(auth, "wait_event_type = 'Lock'")) === 1, {
    what: 'a migration at the lock',
  })
  job.end()
  expect(await job.ended).toBe(1)
  await release()
  await waitFor(async () => (await sessionsIn(auth)) === 0, { what: 'the end of all sessions' })
  const { rows } = await query(auth, "SELECT to_regclass('users') AS users")
  expect(rows).toEqual([{ users: null }])
})

test('a service waits while one of its migrations is missing, and continues afterwards', async () => {
  const databaseSet = await newDatabases()
  expect(await migrate(databaseSet.environment()).ended).toBe(0)
  const last = versions('folders').at(-1)
  await query(databaseSet.name('folders'), `DELETE FROM schema_migrations WHERE version = '${last}'`)
  const service = awaitMigrations('folders', databaseSet.url('folders'))
  await says(service, `folders: waits: the database lacks the migrations ${last}`)
  await query(databaseSet.name('folders'), `INSERT INTO schema_migrations VALUES ('${last}')`)
  expect([await service.ended, service.output]).toEqual([0, expect.stringContaining('has all migrations')])
})

test('a service fails with the reason after waiting too long, so that it restarts with the current Secret', async () => {
  const databaseSet = await newDatabases()
  const service = awaitMigrations('auth', databaseSet.url('auth'), { MIGRATION_WAIT_SECONDS: '0' })
  expect([await service.ended, service.output]).toEqual([
    1,
    expect.stringMatching(/^auth: the database lacks the mig/m),
  ])
})

test('a database of a newer release is not changed, and the service starts on it', async () => {
  const databaseSet = await newDatabases()
  expect(await migrate(databaseSet.environment()).ended).toBe(0)
  await query(databaseSet.name('media'), "INSERT INTO schema_migrations VALUES ('29990101000000')")
  const job = migrate(databaseSet.environment())
  expect([await job.ended, job.output]).toEqual([0, expect.stringContaining('media: nothing to apply')])
  expect(await appliedIn(databaseSet.name('media'))).toEqual([...versions('media'), '29990101000000'])
  expect(await awaitMigrations('media', databaseSet.url('media')).ended).toBe(0)
})

describe('a database of a version before 1.0', () => {
  const REASON = 'the database is of a version before 1.0, which cannot be upgraded: use an empty one'
  // One has a migration with the version of our baseline, and one begins after it.
  const EARLIER = {
    folders: ['20261121000000', '20261128000000', '20270115000000'],
    'print-orders': ['20261129000000'],
  }

  async function makeEarlier(database: string, versions: string[]) {
    const values = versions.map((version) => `('${version}')`).join()
    await query(
      database,
      'CREATE TABLE schema_migrations (version varchar PRIMARY KEY)',
      `INSERT INTO schema_migrations VALUES ${values}`,
    )
  }

  test('is rejected by the job and left as it was', async () => {
    const databaseSet = await newDatabases()
    for (const [service, versions] of Object.entries(EARLIER)) await makeEarlier(databaseSet.name(service), versions)
    const job = migrate(databaseSet.environment())
    expect(await job.ended).toBe(1)
    expect(job.output).toContain('media: applied')
    for (const [service, versions] of Object.entries(EARLIER)) {
      expect(job.output).toContain(`${service}: failed: ${REASON}\n`)
      expect(await appliedIn(databaseSet.name(service))).toEqual(versions)
    }
  })

  test('is what a service says that it waits for, until there is an empty one that is migrated', async () => {
    const databaseSet = await newDatabases()
    await makeEarlier(databaseSet.name('folders'), EARLIER.folders)
    const service = awaitMigrations('folders', databaseSet.url('folders'))
    await says(service, `folders: waits: ${REASON}`)
    const name = databaseSet.name('folders')
    await query('postgres', `DROP DATABASE "${name}" WITH (FORCE)`, `CREATE DATABASE "${name}"`)
    expect(await migrate(databaseSet.environment()).ended).toBe(0)
    expect(await service.ended, service.output).toBe(0)
  })

  test('ends a local start with a sentence that names the folder', async () => {
    const dataDir = join(testDirectory(), 'earlier-data')
    const password = 'p'.repeat(32)
    const own = await startOwnPostgres({ dataDir: join(dataDir, 'postgres'), password })
    await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ databasePassword: password }))
    await query(`${own.url}/postgres`, 'CREATE DATABASE skyfolio_auth')
    await makeEarlier(`${own.url}/skyfolio_auth`, ['20250601000000'])
    await own.stop()
    await expect(launchSystem(dataDir)).rejects.toThrow(
      `The data in ${dataDir} is of a version before 1.0, which cannot be upgraded. Move or remove it.`,
    )
  })
})
