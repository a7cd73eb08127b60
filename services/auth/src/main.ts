import { loadConfig, openNats, openPool, openRedis, runProcess, serve, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { settings } from './config.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { startAuth } from './service.ts'

await runProcess('auth', async (life) => {
  const config = loadConfig(settings, process.env)
  // A mistake shows before anything is connected.
  readMailSettings(config)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const redis = openRedis(config.redisUrl, 'auth', life.logger)
  life.defer('redis', () => redis.quit())
  life.health.addCheck('redis', async () => void (await redis.ping()))

  const nats = await openNats(life, config, 'auth', events)
  await serve(life, await startAuth(life, { pool, nats, redis }, config), config)
})
