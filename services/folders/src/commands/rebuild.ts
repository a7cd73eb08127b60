import {
  beginRebuild,
  createLifetime,
  createLogger,
  endRebuild,
  loadConfig,
  openNats,
  openPool,
  waitUntilCaughtUp,
} from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, deletePhoto, photoHandlers } from '../events.ts'

// `begin`, then media's `republish`, then `end`. The service may run throughout and must run before `end`.
const [step] = process.argv.slice(2)
if (step !== 'begin' && step !== 'end') throw new Error('usage: rebuild.ts begin|end')

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('folders-rebuild', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const database = openDatabase(pool)
try {
  if (step === 'begin') {
    process.stdout.write(`Rebuild started: ${await beginRebuild(database)} photos to confirm.\n`)
  } else {
    const nats = await openNats(life, config, 'folders-rebuild')
    const subjects = photoHandlers.map((handler) => handler.subject)
    await waitUntilCaughtUp(nats, { durable: DURABLE, subjects })
    const deleted = await endRebuild(database, deletePhoto)
    process.stdout.write(`Rebuild complete: ${deleted} photos that no longer exist were removed.\n`)
  }
} finally {
  await life.close()
}
