import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, loadConfig, setting } from '@skyfolio/kit'
import { applyMigrations, attempts, connectOnce, missingMigrations, reasonOf } from '@skyfolio/kit/migrations'

// Brings the databases of all services to this release: for a Job, a compose service, or a pipeline. Safe to run twice and at
// the same time. It applies nothing that a database already has, and a database may be newer than this release.

const root = fileURLToPath(new URL('../../', import.meta.url))
const services = globSync('services/*/prisma/migrations', { cwd: root })
  .map((path) => path.split('/')[1] ?? '')
  .sort()

const urlOf = (service: string) =>
  setting.url(`${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`, {
    protocols: ['postgres:', 'postgresql:'],
    describe: `The database of ${service}; its user may change the schema`,
  })

const waiting = {
  waitSeconds: setting.integer('MIGRATION_WAIT_SECONDS', {
    default: 120,
    min: 0,
    max: 86_400,
    describe: 'How long a server that does not answer, a database that is missing, or a lock of others is waited for',
  }),
}

const LOCK_NOT_AVAILABLE = '55P03'
const told = new AbortController()

/** Node-postgres and dbmate both make it a setting of their sessions; 0 would be no limit. */
function withLockTimeout(url: string, waitMs: number): string {
  const bounded = new URL(url)
  bounded.searchParams.set('lock_timeout', String(Math.max(waitMs, 1_000)))
  return bounded.href
}

/** Held by the session: ended with the process, whatever becomes of it. Others wait here until everything is applied. */
async function lock(client: Awaited<ReturnType<typeof connectOnce>>): Promise<void> {
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('skyfolio migrations'))`)
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new Error('another job migrates this database for longer than MIGRATION_WAIT_SECONDS')
  }
}

async function migrateService(service: string, url: string, waitMs: number): Promise<void> {
  const say = (line: string) => console.log(`${service}: ${line}`)
  const folder = join(root, `services/${service}/prisma/migrations`)
  const bounded = withLockTimeout(url, waitMs)
  const client = await attempts({ say: (reason) => say(`waits: ${reason}`), limitMs: waitMs }, () =>
    connectOnce(bounded),
  )
  try {
    await lock(client)
    const missing = await missingMigrations(client, folder)
    if (missing.length > 0) await applyMigrations(bounded, folder, told.signal)
    const left = await missingMigrations(client, folder)
    if (left.length > 0) throw new Error(`these migrations were not applied: ${left.join(', ')}`)
    say(missing.length > 0 ? `applied ${missing.join(', ')}` : 'nothing to apply')
  } finally {
    await client.end()
  }
}

async function main(): Promise<void> {
  const urls = loadConfig(Object.fromEntries(services.map((service) => [service, urlOf(service)])), process.env)
  const { waitSeconds } = loadConfig(waiting, process.env)
  const outcomes = await Promise.allSettled(
    services.map((service) => migrateService(service, urls[service] ?? '', waitSeconds * 1000)),
  )
  outcomes.forEach((outcome, index) => {
    if (outcome.status === 'fulfilled') return
    console.error(`${services[index]}: failed: ${reasonOf(outcome.reason)}`)
    process.exitCode = 1
  })
}

// Ends dbmate with this process; the database rolls back the migration that runs.
function end(): never {
  told.abort()
  process.exit(1)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
await main().catch((error: Error) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
