import { createLifetime, createLogger, loadConfig, openNats, openPool, waitUntilCaughtUp } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, photoHandlers } from '../events.ts'
import { beginRebuild, endRebuild } from '../projection/rebuild.ts'

// `begin`, then media's republishing, then `end`; the service goes on meanwhile, and must run before the end.
const [step] = process.argv.slice(2)
if (step !== 'begin' && step !== 'end') throw new Error('Say begin or end.')

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('folders-rebuild', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const database = openDatabase(pool)
try {
  if (step === 'begin') {
    process.stdout.write(`${await beginRebuild(database)} photos are compared with what media publishes.\n`)
  } else {
    const nats = await openNats(life, config, 'folders-rebuild')
    const subjects = photoHandlers.map((handler) => handler.subject)
    await waitUntilCaughtUp(nats, { durable: DURABLE, subjects })
    process.stdout.write(`The projection is rebuilt; ${await endRebuild(database)} photos of it were no more.\n`)
  }
} finally {
  await life.close()
}
