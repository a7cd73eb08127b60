import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, repeat, startErasures, startRelay } from '@skyfolio/kit'
import { startSchedule } from '@skyfolio/kit/queue'
import { events } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import type { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { expireClaims, purgeRejected } from './orders/clean-up.ts'
import { createPartner } from './partner/partner.ts'
import { backgroundIntervalMs } from './partner/rate-limit.ts'
import { endOldChecks, measureDueOrders } from './status/due-orders.ts'
import { createStatusPoller } from './status/poller.ts'
import { eraseUser } from './users/erasure.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

/** Of the schedule in Redis that all replicas share. */
const SCHEDULE = 'order-status'
/** Orders in one status request: how many the partner takes is not documented, and a rejected batch is halved. */
const STATUS_BATCH = 50
/** How long an order that becomes due waits at most for the next run. */
const RUN_EVERY_MS = 1_000
const EXPIRE_CLAIMS_SECONDS = 5
/** Of work on old orders. */
const CLEAN_UP_SECONDS = 3600

/** Starts what the worker does, on open connections. */
export function startWorkerTasks(
  life: Lifetime,
  { pool, nats, redis }: Connections,
  config: Omit<Config<typeof workerSettings>, 'host' | 'opsPort'>,
  options: { batchSize?: number } = {},
): void {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())

  const partner = createPartner(config, redis, logger)
  const poller = createStatusPoller({
    db,
    partner,
    logger,
    batchSize: options.batchSize ?? STATUS_BATCH,
    pauseMs: backgroundIntervalMs(config.partnerRequestsPerMinute),
    onChange: relay.wake,
  })
  const stopping = new AbortController()
  const run = (signal: AbortSignal) => poller.run(AbortSignal.any([signal, stopping.signal]))
  const schedule = startSchedule(SCHEDULE, config.redisUrl, run, { everyMs: RUN_EVERY_MS, logger })
  const stopSchedule = () => {
    stopping.abort()
    return schedule.stop()
  }
  life.defer('status poller', stopSchedule, config.drainSeconds * 1000)

  const expire = async () => {
    if ((await expireClaims(db)) > 0) relay.wake()
  }
  life.defer('expired claims', repeat('expired claims', EXPIRE_CLAIMS_SECONDS, expire, logger))
  const stopErasures = startErasures({
    pool,
    logger,
    topic: events.ordersErasureChanged,
    db,
    erase: (userId) => eraseUser(db, userId),
    afterCommit: relay.wake,
  })
  life.defer('erasures', stopErasures)
  const cleanUp = async () => {
    await endOldChecks(db)
    await purgeRejected(db)
  }
  life.defer('old orders', repeat('old orders', CLEAN_UP_SECONDS, cleanUp, logger))
  life.defer('status metrics', measureDueOrders(db, partner))
}
