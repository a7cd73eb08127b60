import { connectNats, createLogger, ensureStreams, loadConfig, openPool, startRelay } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { republishFolders } from '../folders/republish.ts'

const config = loadConfig(serverSettings, process.env)
const pool = openPool(config.databaseUrl, { max: 2 })
const nats = await connectNats(config.natsUrl, 'folders-republish', { credentialsFile: config.natsCredentialsFile })
await ensureStreams(nats, { replicas: config.natsReplicas })
const relay = startRelay({ pool, nats, logger: createLogger('folders-republish', 'warn') })
try {
  const count = await republishFolders(openDatabase(pool))
  await relay.flush()
  process.stdout.write(`Published ${count} folders once more.\n`)
} finally {
  await relay.stop()
  await nats.drain()
  await pool.end()
}
