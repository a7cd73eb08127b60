import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, repeat, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import type { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { sweepTokens } from './tokens/tokens.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

const SWEEP_SECONDS = 3600

/** Starts what the worker does, on open connections. */
export async function startWorkerTasks(
  life: Lifetime,
  { pool, nats }: Connections,
  _config: Omit<Config<typeof workerSettings>, 'host' | 'opsPort'>,
): Promise<void> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  life.defer(
    'expired tokens',
    repeat('expired tokens', SWEEP_SECONDS, () => sweepTokens(db), logger),
  )
}
