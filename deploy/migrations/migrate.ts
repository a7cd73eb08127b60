import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ConfigError, loadConfig, setting } from '@skyfolio/kit'
import {
  applyMigrations,
  attempts,
  connectOnce,
  missingMigrations,
  reasonOf,
  setSessionSettings,
} from '@skyfolio/kit/migrations'

// Migrates the databases of all services to this release, as a Job, a compose service or a step of a pipeline. Safe to run
// twice and concurrently. Applied migrations are skipped, and a database may be newer than this release.

const root = fileURLToPath(new URL('../../', import.meta.url))
const services = globSync('services/*/prisma/migrations', { cwd: root })
  .map((path) => path.split('/')[1] ?? '')
  .sort()

function urlOf(service: string) {
  const database = `${service.toUpperCase().replaceAll('-', '_')}_DATABASE`
  return setting.url(`${database}_URL`, {
    protocols: ['postgres:', 'postgresql:'],
    passwordFrom: `${database}_PASSWORD`,
    severalHosts: true,
    describe: `Database of ${service}, with the user who owns it; never through PgBouncer`,
  })
}

const waitSettings = {
  waitSeconds: setting.integer('MIGRATION_WAIT_SECONDS', {
    default: 120,
    min: 0,
    max: 86_400,
    describe: 'Seconds to wait for an unavailable server, a missing database, or a lock held by another process',
  }),
}

const LOCK_POLL_MS = 500
const stopping = new AbortController()

/** Node-postgres and dbmate both pass it to their sessions; 0 would mean no limit. */
function withLockTimeout(url: string, waitMs: number): string {
  return `${url}${url.includes('?') ? '&' : '?'}lock_timeout=${Math.max(waitMs, 1_000)}`
}

type Client = Awaited<ReturnType<typeof connectOnce>>

/**
 * A session lock, which ends with the process in any case. Concurrent runs wait here until everything is applied. They poll:
 * `CREATE INDEX CONCURRENTLY` of the run that has the lock would wait for a statement that waits for the lock.
 */
async function lock(client: Client, waitMs: number): Promise<void> {
  const waitUntil = Date.now() + waitMs
  for (;;) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(hashtext('skyfolio migrations')) AS locked`)
    if (rows[0].locked) return
    if (Date.now() >= waitUntil) {
      throw new Error('another job has been migrating this database for longer than MIGRATION_WAIT_SECONDS')
    }
    await delay(LOCK_POLL_MS)
  }
}

async function migrateService(service: string, url: string, waitMs: number): Promise<void> {
  if (/[?&]pgbouncer=true/.test(url)) {
    throw new Error(
      'its URL has pgbouncer=true, and migrations go past PgBouncer (in the chart: postgresql.directSecret)',
    )
  }
  const log = (line: string) => console.log(`${service}: ${line}`)
  const folder = join(root, `services/${service}/prisma/migrations`)
  const bounded = withLockTimeout(url, waitMs)
  const client = await attempts({ say: (reason) => log(`waits: ${reason}`), limitMs: waitMs }, () =>
    connectOnce(bounded),
  )
  try {
    await lock(client, waitMs)
    // First: services start as soon as the migrations are there.
    await setSessionSettings(client)
    const missing = await missingMigrations(client, folder)
    if (missing.length > 0) await applyMigrations(bounded, folder, stopping.signal)
    const left = await missingMigrations(client, folder)
    if (left.length > 0) throw new Error(`migrations not applied: ${left.join(', ')}`)
    log(missing.length > 0 ? `applied ${missing.join(', ')}` : 'nothing to apply')
  } finally {
    await client.end()
  }
}

async function main(): Promise<void> {
  const urls = loadConfig(Object.fromEntries(services.map((service) => [service, urlOf(service)])), process.env)
  const { waitSeconds } = loadConfig(waitSettings, process.env)
  const outcomes = await Promise.allSettled(
    services.map((service) => migrateService(service, urls[service] ?? '', waitSeconds * 1000)),
  )
  outcomes.forEach((outcome, index) => {
    if (outcome.status === 'fulfilled') return
    console.error(`${services[index]}: failed: ${reasonOf(outcome.reason)}`)
    process.exitCode = 1
  })
}

// Stops dbmate too; the database rolls back the migration that is running.
function exit(): never {
  stopping.abort()
  process.exit(1)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, exit)
await main().catch((error: Error) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
