import type { NatsConnection } from '@nats-io/nats-core'
import { type Config, type Lifetime, metrics, type ObjectStore, repeat, startConsumer, startRelay } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { moveActivity } from './activity/move-activity.ts'
import { sweepAudit } from './audit/audit-log.ts'
import type { workerSettings } from './config.ts'
import { type Database, openDatabase } from './database.ts'
import { announceErasures, beginDueErasures, eraseConfirmed, measureErasures } from './deletion/erasures.ts'
import { sweepDeadLetters } from './deletion/forget-copies.ts'
import { DURABLE, eventHandlers } from './events.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { sweepMails } from './mail/mails-table.ts'
import { startMailing } from './mail/start-mailing.ts'
import { carryOutWaitingEndings } from './sessions/session-endings.ts'
import { createSessions } from './sessions/sessions.ts'
import { saveStatistics } from './statistics/installation.ts'
import { sweepTokens } from './tokens/tokens.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
  store: ObjectStore
}

const HOUR = 3600

const oldestEnding = metrics.gauge(
  'skyfolio_session_endings_oldest_seconds',
  'Age of the oldest request to end sessions not yet carried out, or 0',
)

/** Starts what the worker does, on open connections. Any number of workers may do all of it. */
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
  const mailSettings = readMailSettings(config)
  const canSendMail = mailSettings !== null

  const every = (seconds: number, name: string, work: () => Promise<unknown>) =>
    life.defer(name, repeat(name, seconds, work, logger))
  // What the API committed and could not carry out.
  every(1, 'session endings', () => carryOutWaitingEndings(db, sessions))
  // Apart, so that an unavailable object store stops no erasure that is announced.
  every(1, 'due deletions', async () => {
    await beginDueErasures(db)
    await announceErasures({ db, store, onCommit: relay.wake })
  })
  every(1, 'erasure of accounts', () => eraseConfirmed({ db, redis, nats, sessions }))
  every(15, 'activity of users', () => moveActivity(redis, db))
  every(30, 'statistics', () => saveStatistics(db))
  every(HOUR, 'dead letters of the erased', () => sweepDeadLetters({ db, nats }))
  every(HOUR, 'expired tokens', () => sweepTokens(db))
  every(HOUR, 'audit log', () => sweepAudit(db, config.auditDays))
  every(HOUR, 'mail sweep', () => sweepMails(db, canSendMail))
  life.defer('erasure metrics', measureErasures(db))
  life.defer('session endings metrics', measureSessionEndings(db))

  if (mailSettings) startMailing(life, db, { ...config, settings: mailSettings })
  const consumer = await startConsumer({
    nats,
    durable: DURABLE,
    handlers: eventHandlers({ canSendMail }),
    db,
    logger,
    afterCommit: relay.wake,
  })
  life.defer('consumer', () => consumer.stop())
}

/** Returns the function that ends it. */
function measureSessionEndings(db: Database): () => void {
  return metrics.onScrape('session endings', async () => {
    const [row] = await db.$queryRaw<{ seconds: number }[]>`
      SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS seconds FROM session_endings`
    return [[oldestEnding, row?.seconds ?? 0]]
  })
}
