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
    describe: 'How long a server that does not answer, or a database that is missing, is waited for',
  }),
}

async function migrateService(service: string, url: string, waitMs: number): Promise<void> {
  const say = (line: string) => console.log(`${service}: ${line}`)
  const folder = join(root, `services/${service}/prisma/migrations`)
  const client = await attempts({ say: (reason) => say(`waits: ${reason}`), limitMs: waitMs }, () => connectOnce(url))
  try {
    // Held by the session: ended with the process, whatever becomes of it. Others wait here until everything is applied.
    await client.query(`SELECT pg_advisory_lock(hashtext('skyfolio migrations'))`)
    const missing = await missingMigrations(client, folder)
    if (missing.length > 0) await applyMigrations(url, folder)
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

// The first process of a container is not ended by signals that it does not handle. A migration that runs is rolled back.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
await main().catch((error: Error) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
