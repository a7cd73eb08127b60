import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Config, type Lifetime, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { buildApp } from './app.ts'
import type { settings } from './config.ts'
import { openDatabase } from './database.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

/** Starts the print-orders service except its port, on open connections. */
export async function startPrintOrders(
  life: Lifetime,
  { pool, nats }: Connections,
  config: Omit<Config<typeof settings>, 'host' | 'port' | 'opsPort'>,
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())
  return buildApp({ logger, identityKeys: config.identityKeys, db })
}
