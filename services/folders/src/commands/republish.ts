import { createLifetime, createLogger, loadConfig, openNats, openPool, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishFolders } from '../folders/republish.ts'

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('folders-republish', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const nats = await openNats(life, config, 'folders-republish', events)
const relay = startRelay({ pool, nats, logger: life.logger })
life.defer('relay', () => relay.stop())
try {
  const count = await republishFolders(openDatabase(pool))
  await relay.flush()
  process.stdout.write(`Republished ${count} folders.\n`)
} finally {
  await life.close()
}
