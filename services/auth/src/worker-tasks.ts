import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, metrics, type ObjectStore, repeat, startConsumer, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { startMovingActivity } from './activity/move-activity.ts'
import { startAuditSweep } from './audit/audit-log.ts'
import type { workerSettings } from './config.ts'
import { type Database, openDatabase } from './database.ts'
import { startErasures } from './deletion/erasures.ts'
import { DURABLE, eventHandlers } from './events.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { startMailing, startMailSweep } from './mail/start-mailing.ts'
import { carryOutWaitingEndings } from './sessions/session-endings.ts'
import { createSessions, type Sessions } from './sessions/sessions.ts'
import { startStatistics } from './statistics/installation.ts'
import { sweepTokens } from './tokens/tokens.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
  store: ObjectStore
}

const SWEEP_SECONDS = 3600
const ENDINGS_SECONDS = 1

const oldestEnding = metrics.gauge(
  'skyfolio_session_endings_oldest_seconds',
  'Age of the oldest request to end sessions not yet carried out, or 0',
)

/** Starts what the worker does, on open connections. */
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
  startSessionEndings(life, db, sessions)
  startErasures(life, { db, redis, nats, sessions, store, onCommit: relay.wake })
  life.defer(
    'expired tokens',
    repeat('expired tokens', SWEEP_SECONDS, () => sweepTokens(db), logger),
  )

  startMovingActivity(life, redis, db)
  startStatistics(life, db)
  startAuditSweep(life, db, config.auditDays)

  const mailSettings = readMailSettings(config)
  startMailSweep(life, db, { canSendMail: mailSettings !== null })
  if (mailSettings) {
    const { redisUrl, publicOrigin, drainSeconds } = config
    startMailing(life, db, { settings: mailSettings, redisUrl, publicOrigin, drainSeconds })
  }
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: eventHandlers({ canSendMail: mailSettings !== null }),
    transaction: (work) => db.$transaction(work),
    logger,
    afterCommit: relay.wake,
  })
  life.defer('consumer', () => consumer.stop())
}

/** Carries out what the API committed and could not carry out, until the worker stops. */
function startSessionEndings(life: Lifetime, db: Database, sessions: Sessions): void {
  const carryOut = () => carryOutWaitingEndings(db, sessions)
  life.defer('session endings', repeat('session endings', ENDINGS_SECONDS, carryOut, life.logger))
  metrics.onScrape('session endings', async () => {
    const [row] = await db.$queryRaw<{ seconds: number }[]>`
      SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS seconds FROM session_endings`
    return [[oldestEnding, row?.seconds ?? 0]]
  })
}
