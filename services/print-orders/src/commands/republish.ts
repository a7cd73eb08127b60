import { loadConfig, runRepublish } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishOrders } from '../orders/order-events.ts'

await runRepublish({
  name: 'print-orders-republish',
  config: loadConfig(serverSettings, process.env),
  topics: events,
  republish: async (pool) => `Republished ${await republishOrders(openDatabase(pool))} orders.`,
})
