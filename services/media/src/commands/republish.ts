import { setTimeout as delay } from 'node:timers/promises'
import {
  createLifetime,
  createLogger,
  databaseSettings,
  loadConfig,
  natsSettings,
  openNats,
  openPool,
  startRelay,
  streamSettings,
} from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { openDatabase } from '../database.ts'
import { republishPhotos, republishUsage } from '../events.ts'

const config = loadConfig({ ...databaseSettings, ...natsSettings, ...streamSettings }, process.env)
const life = createLifetime(createLogger('media-republish', 'warn'))
const pool = openPool(config.databaseUrl, { max: 2 })
life.defer('database', () => pool.end())
const nats = await openNats(life, config, 'media-republish', events)
const relay = startRelay({ pool, nats, logger: life.logger })
life.defer('relay', () => relay.stop())

/** Waits for all rows: other relays may hold rows that this one skips. */
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
  const db = openDatabase(pool)
  const photos = await republishPhotos(db)
  const users = await republishUsage(db)
  await allPublished()
  process.stdout.write(`Published ${photos} photos and the usage of ${users} users again.\n`)
} finally {
  await life.close()
}
