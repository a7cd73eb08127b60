import { createLifetime, createLogger, loadConfig, openNats, openPool, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishOrders } from '../orders/republish.ts'

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('print-orders-republish', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const nats = await openNats(life, config, 'print-orders-republish', events)
const relay = startRelay({ pool, nats, logger: life.logger })
life.defer('relay', () => relay.stop())
try {
  const count = await republishOrders(openDatabase(pool))
  await relay.flush()
  process.stdout.write(`Republished ${count} orders.\n`)
} finally {
  await life.close()
}
