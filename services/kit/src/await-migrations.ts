import { fileURLToPath } from 'node:url'
import { attempts, connectOnce, missingMigrations } from './applied-migrations.ts'
import { ConfigError, loadConfig } from './config.ts'
import { databaseSettings } from './settings.ts'

// `node services/kit/src/await-migrations.ts <service>`: ends when the database has all migrations of that service. It may have
// more: a newer release expands first. Waits for ever, as an init container that is restarted would; it says what for.

const service = process.argv[2] ?? ''

async function main(): Promise<void> {
  if (!/^[a-z-]+$/.test(service)) throw new ConfigError('Usage: node services/kit/src/await-migrations.ts <service>')
  const { databaseUrl } = loadConfig(databaseSettings, process.env)
  const folder = fileURLToPath(new URL(`../../${service}/prisma/migrations`, import.meta.url))
  await attempts({ say: (reason) => console.log(`${service}: waits: ${reason}`) }, async () => {
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

// The first process of a container is not ended by signals that it does not handle.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
await main().catch((error: Error) => {
  console.error(`${service || 'await-migrations'}: ${error.message}`)
  process.exit(1)
})
