import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import type { workerSettings } from './config.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

/** Starts what the worker does, on open connections. */
export async function startWorkerTasks(
  life: Lifetime,
  { pool, nats }: Connections,
  _config: Omit<Config<typeof workerSettings>, 'host' | 'opsPort'>,
): Promise<void> {
  const relay = startRelay({ pool, nats, logger: life.logger })
  life.defer('relay', () => relay.stop())
}
