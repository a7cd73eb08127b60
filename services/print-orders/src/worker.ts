import { loadConfig, openNats, openPool, openRedis, runProcess, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { checkPartnerAddresses, workerSettings } from './config.ts'
import { startWorkerTasks } from './worker-tasks.ts'

await runProcess('print-orders-worker', async (life) => {
  const config = loadConfig(workerSettings, process.env)
  checkPartnerAddresses(config)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const redis = openRedis(config.redisUrl, 'print-orders-worker', life.logger)
  life.defer('redis', () => redis.quit())
  life.health.addCheck('redis', async () => void (await redis.ping()))

  const nats = await openNats(life, config, 'print-orders-worker', events)
  startWorkerTasks(life, { pool, nats, redis }, config)
})
