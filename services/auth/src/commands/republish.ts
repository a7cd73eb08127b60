import { createLifetime, createLogger, loadConfig, openNats, openPool, startRelay } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishDeletions, republishUsers } from '../events.ts'

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('auth-republish', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const nats = await openNats(life, config, 'auth-republish', events)
const relay = startRelay({ pool, nats, logger: life.logger })
life.defer('relay', () => relay.stop())
try {
  const db = openDatabase(pool)
  const count = await republishUsers(db)
  const deleted = await republishDeletions(db)
  await relay.flush()
  process.stdout.write(`Republished ${count} users and ${deleted} deletions.\n`)
} finally {
  await life.close()
}
