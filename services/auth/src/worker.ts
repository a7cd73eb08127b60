import { loadConfig, openNats, openObjectStore, openPool, openRedis, runProcess, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { workerSettings } from './config.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { startWorkerTasks } from './worker-tasks.ts'

await runProcess('auth-worker', async (life) => {
  const config = loadConfig(workerSettings, process.env)
  // A mistake shows before anything is connected.
  readMailSettings(config)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const redis = openRedis(config.redisUrl, 'auth-worker', life.logger)
  life.defer('redis', () => redis.quit())
  life.health.addCheck('redis', async () => void (await redis.ping()))

  const store = await openObjectStore(config)
  const nats = await openNats(life, config, 'auth-worker', events)
  await startWorkerTasks(life, { pool, nats, redis, store }, config)
})
