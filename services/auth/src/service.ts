import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Config, type Lifetime, serveRequests, startRelay } from '@skyfolio/kit'
import { createPasswords } from '@skyfolio/kit/passwords'
import { exportSources, mailStatus } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { createDevices } from './accounts/devices.ts'
import { createRateLimits, type RateLimitOptions } from './accounts/rate-limits.ts'
import { buildApp } from './app.ts'
import type { settings } from './config.ts'
import { openDatabase } from './database.ts'
import { exportAccount } from './export/export-account.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { createSessions } from './sessions/sessions.ts'

interface Connections {
  pool: Pool
  nats: NatsConnection
  redis: Redis
}

/** Limits that tests make smaller. */
interface Options extends Pick<RateLimitOptions, 'passwordResetsPerHour' | 'addressMailsPerHour'> {
  sessionsPerUser?: number
}

/** Starts the auth service except its port, on open connections. */
export async function startAuth(
  life: Lifetime,
  { pool, nats, redis }: Connections,
  config: Omit<Config<typeof settings>, 'host' | 'port' | 'opsPort'>,
  options: Options = {},
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('outbox relay', () => relay.stop())

  const canSendMail = readMailSettings(config) !== null
  const mail = serveRequests(nats, mailStatus, async () => ({ available: canSendMail }), logger)
  life.defer('mail status', () => mail.stop())

  const sessions = createSessions(redis, nats, options.sessionsPerUser)
  const exporting = serveRequests(
    nats,
    exportSources.auth,
    (request) => exportAccount({ db, sessions }, request),
    logger,
  )
  life.defer('export', () => exporting.stop())

  const { identityKeys } = config
  const secureCookies = config.publicOrigin.startsWith('https:')
  return buildApp({
    db,
    passwords: await createPasswords({ concurrency: config.passwordConcurrency }),
    rateLimits: createRateLimits(redis, { ...config, ...options }),
    sessions,
    devices: createDevices(identityKeys, secureCookies),
    logger,
    identityKeys,
    canSendMail,
    deletionDays: config.accountDeletionDays,
    secureCookies,
    onCommit: relay.wake,
  })
}
