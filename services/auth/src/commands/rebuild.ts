import { createLifetime, createLogger, loadConfig, openNats, openPool, waitUntilCaughtUp } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, eventHandlers } from '../events.ts'
import { beginUsageRebuild, endUsageRebuild } from '../usage/usage.ts'

// `begin`, then media's `republish`, then `end`. The worker may run throughout and must run before `end`.
const [step] = process.argv.slice(2)
if (step !== 'begin' && step !== 'end') throw new Error('usage: rebuild.ts begin|end')

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('auth-rebuild', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const db = openDatabase(pool)
try {
  if (step === 'begin') {
    process.stdout.write(`Rebuild started: the usage of ${await beginUsageRebuild(db)} users to confirm.\n`)
  } else {
    const nats = await openNats(life, config, 'auth-rebuild')
    const subjects = eventHandlers({ canSendMail: false }).map((handler) => handler.subject)
    await waitUntilCaughtUp(nats, { durable: DURABLE, subjects })
    const deleted = await endUsageRebuild(db)
    process.stdout.write(`Rebuild complete: the usage of ${deleted} users without photos was removed.\n`)
  }
} finally {
  await life.close()
}
