import type { NatsConnection } from '@nats-io/nats-core'
import { type App, type Config, type Lifetime, serveRequests, startRelay } from '@skyfolio/kit'
import { exportSources, mailStatus } from '@skyfolio/proto'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { createAccounts } from './accounts/accounts.ts'
import { createAddresses } from './accounts/addresses.ts'
import { createDevices } from './accounts/devices.ts'
import { createPasswordChanges } from './accounts/password-changes.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createProfiles } from './accounts/profiles.ts'
import { createRateLimits, type RateLimitOptions } from './accounts/rate-limits.ts'
import { createAdministration } from './administration/administration.ts'
import { buildApp } from './app.ts'
import type { settings } from './config.ts'
import { openDatabase } from './database.ts'
import { createDeletions } from './deletion/deletions.ts'
import { exportAccount } from './export/export-account.ts'
import { readMailSettings } from './mail/mail-settings.ts'
import { createSessionEndings } from './sessions/session-endings.ts'
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

  const passwords = await createPasswords({ concurrency: config.passwordConcurrency })
  const rateLimits = createRateLimits(redis, { ...config, ...options })
  const sessions = createSessions(redis, nats, options.sessionsPerUser)
  const secureCookies = config.publicOrigin.startsWith('https:')
  const sessionEndings = createSessionEndings({ db, pool, sessions, logger })
  const shared = { db, passwords, rateLimits, sessions, sessionEndings, canSendMail, logger, onCommit: relay.wake }
  const exporting = serveRequests(
    nats,
    exportSources.auth,
    (request) => exportAccount({ db, sessions }, request),
    logger,
  )
  life.defer('export', () => exporting.stop())
  return buildApp({
    ...shared,
    identityKeys: config.identityKeys,
    pool,
    accounts: createAccounts(shared),
    profiles: createProfiles(shared),
    addresses: createAddresses(shared),
    passwordChanges: createPasswordChanges(shared),
    administration: createAdministration(shared),
    deletions: createDeletions({ ...shared, days: config.accountDeletionDays }),
    devices: createDevices(config.identityKeys, secureCookies),
    secureCookies,
  })
}
