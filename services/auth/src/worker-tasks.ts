import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, type ObjectStore, repeat, startConsumer, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { startMovingActivity } from './activity/move-activity.ts'
import { startAuditSweep } from './audit/sweep-audit.ts'
import type { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { startDeletions } from './deletion/start-deletions.ts'
import { DURABLE, eventHandlers } from './events.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { startMailing, startMailSweep } from './mail/start-mailing.ts'
import { createSessionEndings } from './sessions/session-endings.ts'
import { createSessions } from './sessions/sessions.ts'
import { startSessionEndings } from './sessions/start-session-endings.ts'
import { startStatistics } from './statistics/installation.ts'
import { sweepTokens } from './tokens/tokens.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
  store: ObjectStore
}

const SWEEP_SECONDS = 3600

/**
 * Starts what the worker does, on open connections. What runs without work queries the pool: Prisma would load its query
 * compiler, some 15 MB.
 */
export async function startWorkerTasks(
  life: Lifetime,
  { pool, nats, redis, store }: Connections,
  config: Omit<Config<typeof workerSettings>, 'host' | 'opsPort'>,
): Promise<void> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  const sessions = createSessions(redis, nats)
  startSessionEndings(life, createSessionEndings({ db, pool, sessions, logger }), pool)
  startDeletions(life, { pool, db, redis, nats, sessions, store, onCommit: relay.wake })
  life.defer(
    'expired tokens',
    repeat('expired tokens', SWEEP_SECONDS, () => sweepTokens(pool), logger),
  )

  startMovingActivity(life, redis, pool)
  startStatistics(life, pool)
  startAuditSweep(life, pool, config.auditDays)

  const mailSettings = readMailSettings(config)
  startMailSweep(life, pool, { canSendMail: mailSettings !== null })
  if (mailSettings) {
    const { redisUrl, publicOrigin, drainSeconds } = config
    startMailing(life, { pool, db }, { settings: mailSettings, redisUrl, publicOrigin, drainSeconds })
  }
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: eventHandlers({ canSendMail: mailSettings !== null }),
    db,
    logger,
    afterCommit: relay.wake,
  })
  life.defer('consumer', () => consumer.stop())
}
