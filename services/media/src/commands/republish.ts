import { setTimeout as delay } from 'node:timers/promises'
import {
  connectNats,
  createLogger,
  databaseSettings,
  ensureStreams,
  loadConfig,
  natsSettings,
  openPool,
  startRelay,
  streamSettings,
} from '@skyfolio/kit'
import { openDatabase } from '../database.ts'
import { republish } from '../photos/republish.ts'

const config = loadConfig({ ...databaseSettings, ...natsSettings, ...streamSettings }, process.env)
const pool = openPool(config.databaseUrl, { max: 2 })
const nats = await connectNats(config.natsUrl, 'media-republish', { credentialsFile: config.natsCredentialsFile })
await ensureStreams(nats, { replicas: config.natsReplicas })
const relay = startRelay({ pool, nats, logger: createLogger('media-republish', 'warn') })

/** Other relays may hold rows that this one skips: who follows wants all of them out. */
async function allPublished(): Promise<void> {
  const { rows } = await pool.query('SELECT max(seq) AS last FROM outbox')
  for (;;) {
    await relay.flush()
    const waiting = await pool.query('SELECT FROM outbox WHERE published_at IS NULL AND seq <= $1 LIMIT 1', [
      rows[0].last,
    ])
    if (waiting.rowCount === 0) return
    await delay(100)
  }
}

try {
  const count = await republish(openDatabase(pool))
  await allPublished()
  process.stdout.write(`Published ${count} photos once more.\n`)
} finally {
  await relay.stop()
  await nats.drain()
  await pool.end()
}
