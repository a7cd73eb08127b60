import { fileURLToPath } from 'node:url'
import { attempts, connectOnce, missingMigrations, reasonOf } from './postgres/applied-migrations.ts'
import { ConfigError, loadConfig, setting } from './process/config.ts'
import { databaseSettings } from './process/settings.ts'

// `node services/kit/src/await-migrations.ts <service>`: exits when the database has all migrations of that service. It may
// have more: a newer release expands first. It logs what it waits for and fails after a time limit: a restarted init
// container reads the current Secret, such as a corrected password.

const service = process.argv[2] ?? ''

const settings = {
  ...databaseSettings,
  waitSeconds: setting.integer('MIGRATION_WAIT_SECONDS', {
    default: 300,
    min: 0,
    describe: 'Maximum time to wait for the migrations',
  }),
}

async function main(): Promise<void> {
  if (!/^[a-z-]+$/.test(service)) throw new ConfigError('Usage: node services/kit/src/await-migrations.ts <service>')
  const { databaseUrl, waitSeconds } = loadConfig(settings, process.env)
  const folder = fileURLToPath(new URL(`../../${service}/prisma/migrations`, import.meta.url))
  const say = (reason: string) => console.log(`${service}: waits: ${reason}`)
  await attempts({ say, limitMs: waitSeconds * 1000 }, async () => {
    const client = await connectOnce(databaseUrl)
    try {
      const missing = await missingMigrations(client, folder)
      if (missing.length > 0) throw new Error(`the database lacks the migrations ${missing.join(', ')}`)
    } finally {
      await client.end()
    }
  })
  console.log(`${service}: the database has all migrations`)
}

// The first process of a container ignores signals without a handler.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
await main().catch((error: Error) => {
  console.error(`${service || 'await-migrations'}: ${reasonOf(error)}`)
  process.exit(1)
})
