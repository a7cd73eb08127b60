import { loadConfig, openNats, openPool, runProcess, startOps, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { workerSettings } from './config.ts'

await runProcess('print-orders-worker', async (life) => {
  const { logger } = life
  const config = loadConfig(workerSettings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const nats = await openNats(life, config, 'print-orders-worker', events)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
})
