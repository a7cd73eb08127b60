import {
  createLifetime,
  createLogger,
  databaseSettings,
  loadConfig,
  objectStoreSettings,
  openObjectStore,
  openPool,
} from '@skyfolio/kit'
import { openDatabase } from '../database.ts'
import { type Replay, replayLedger } from '../deletion/ledger.ts'

// `npm run ops -- deletions replay`: a step of a restore, before the services start. Events wait in the outbox for a process of auth.

if (process.argv.slice(2).join(' ') !== 'replay') {
  process.stderr.write('Usage: npm run ops -- deletions replay\n')
  process.exit(2)
}

function summary({ entries, erasedAgain, ofOthers }: Replay): string {
  const lines = [
    `Deleted accounts in the ledger: ${entries}, of which the backup brought back and the services erase again: ${erasedAgain.length}.`,
    ...(ofOthers.length > 0 ? [`These ids belong to other accounts, which stay: ${ofOthers.join(', ')}.`] : []),
  ]
  return `${lines.join('\n')}\n`
}

const config = loadConfig({ ...databaseSettings, ...objectStoreSettings }, process.env)
const life = createLifetime(createLogger('auth-deletions', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
try {
  process.stdout.write(summary(await replayLedger(openDatabase(pool), await openObjectStore(config))))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await life.close()
}
