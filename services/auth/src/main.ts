import { loadConfig, openNats, openPool, openRedis, runProcess, serve, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { createAccounts } from './accounts/accounts.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createRateLimits } from './accounts/rate-limits.ts'
import { buildApp } from './app.ts'
import { settings } from './config.ts'
import { openDatabase } from './database.ts'
import { createSessions } from './sessions/sessions.ts'

await runProcess('auth', async (life) => {
  const config = loadConfig(settings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))
  const prisma = openDatabase(pool)

  const redis = openRedis(config.redisUrl, 'auth', life.logger)
  life.defer('redis', () => redis.quit())
  life.health.addCheck('redis', async () => void (await redis.ping()))

  const nats = await openNats(life, config, 'auth', events)

  const passwords = await createPasswords({ concurrency: config.passwordConcurrency, waiting: config.passwordQueue })
  const app = await buildApp({
    logger: life.logger,
    identityKeys: config.identityKeys,
    accounts: createAccounts({ prisma, passwords, rateLimits: createRateLimits(redis, config) }),
    sessions: createSessions(redis, nats),
    secureCookies: config.publicOrigin.startsWith('https:'),
  })
  await serve(life, app, config)
})
