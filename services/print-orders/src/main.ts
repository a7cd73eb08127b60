import { loadConfig, openNats, openPool, openRedis, runProcess, serve, startOps } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { checkPartnerAddresses, settings } from './config.ts'
import { SUBMIT_MS } from './orders/submit-order.ts'
import { startPrintOrders } from './service.ts'

await runProcess('print-orders', async (life) => {
  const config = loadConfig(settings, process.env)
  checkPartnerAddresses({ ...config, imageOrigin: config.printImageOrigin ?? config.publicOrigin })
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const redis = openRedis(config.redisUrl, 'print-orders', life.logger)
  life.defer('redis', () => redis.quit())
  life.health.addCheck('redis', async () => void (await redis.ping()))

  const nats = await openNats(life, config, 'print-orders', events)

  // An order in progress is answered.
  const drainSeconds = Math.max(config.drainSeconds, SUBMIT_MS / 1000 + 1)
  await serve(life, await startPrintOrders(life, { pool, nats, redis }, config), { ...config, drainSeconds })
})
