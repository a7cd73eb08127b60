import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool, openRedis } from '@skyfolio/kit'
import { type MailboxClient, mailboxAt } from '@skyfolio/mailbox'
import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { launchSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { SANDBOX_CREDENTIALS } from '../../local/services.ts'
import { keepLogs } from './logs.ts'
import { CUSTOMER, controlSandbox, type SandboxControl } from './print-orders.ts'

/** A complete system, as the only one that uses its accounts and mails. */
export interface TestSystem {
  url: string
  /** The environment of each component. */
  env: RuntimeState['env']
  /** The print partner's stand-in. */
  sandbox: SandboxControl
  /** The mailbox to which its mails go. */
  mailbox: MailboxClient
  /** Runs SQL in a service's database, for states that no request can create. */
  sql(service: string, text: string): Promise<void>
  /** Makes a user an administrator, as `npm run admin` does. */
  grantAdmin(username: string): Promise<void>
  /** Limits the storage of a user, as `npm run admin` does. */
  setQuota(username: string, megabytes: number): Promise<void>
  /** Forgets what auth's rate limits have counted, such as mails to an address that several journeys use. */
  forgetAttempts(): Promise<void>
  /** Ends its use. Its logs are kept for the log test; they must not contain these secrets. */
  stop(secrets: string[]): Promise<void>
}

/** Of the systems that journeys share, whose limits no journey may use up for the next. */
export const SHARED_SETTINGS = {
  LOG_LEVEL: 'trace',
  // An order whose response is lost is known as such after this time, instead of 10 seconds.
  PARTNER_TIMEOUT_MS: '5000',
  // Journeys that use them answer for these hosts, which nobody has.
  MAP_LAYERS: JSON.stringify([
    { name: 'Streets', url: 'https://tiles.test/streets/{z}/{x}/{y}.png', attribution: '© Streets' },
    { name: 'Terrain', url: 'https://tiles.test/terrain/{z}/{x}/{y}.png', attribution: '© Terrain' },
    { name: 'Satellite', url: 'https://pictures.test/{z}/{y}/{x}', attribution: '© Pictures', maxZoom: 18 },
  ]),
}

/** For the users of former journeys: their names are free again. */
const RENAME_USERS = `UPDATE users SET username = 'former-' || id, username_key = 'former-' || id, username_skeletons = '{}',
  email = NULL, email_confirmed = false, former_email = NULL, is_admin = false WHERE username NOT LIKE 'former-%'`

/** The system of this worker, without the users, mails and faults of former journeys. */
export async function useSharedSystem(): Promise<TestSystem> {
  const shared = inject('systems')[Number(process.env.VITEST_POOL_ID) - 1]
  if (!shared) throw new Error(`There is no system for worker ${process.env.VITEST_POOL_ID}`)
  const system = await systemAt(shared.url, shared.dataDir)
  await system.sql('auth', RENAME_USERS)
  await system.forgetAttempts()
  await system.mailbox.deleteMessages()
  await system.sandbox.clearFaults()
  return { ...system, stop: keepLogs }
}

/** Starts a system of the journey's own, with these settings added to those of shared ones. */
export async function startSystem(settings: Record<string, string> = {}): Promise<TestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
  const { url, stop } = await launchSystem(dataDir, { ...SHARED_SETTINGS, ...settings })
  return {
    ...(await systemAt(url, dataDir)),
    stop: async (secrets) => {
      await stop()
      await keepLogs(secrets, dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function systemAt(url: string, dataDir: string): Promise<Omit<TestSystem, 'stop'>> {
  const { env, partnerSandbox, mailbox }: RuntimeState = JSON.parse(
    await readFile(join(dataDir, 'runtime.json'), 'utf8'),
  )
  /** Runs `npm run admin`. */
  async function administer(...args: string[]): Promise<void> {
    const command = ['deploy/local/run-operator-command.ts', 'admin', ...args]
    await promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, SKYFOLIO_DATA: dataDir } })
  }

  return {
    url,
    env,
    sandbox: controlSandbox(partnerSandbox?.controlUrl ?? '', partnerSandbox?.controlKey ?? ''),
    mailbox: mailboxAt(mailbox?.url ?? '', mailbox?.key),
    sql: async (service, text) => {
      const pool = openPool(env[service]?.DATABASE_URL ?? '', { max: 1 })
      await pool.query(text).finally(() => pool.end())
    },
    async forgetAttempts() {
      const redis = openRedis(env.auth?.REDIS_URL ?? '', 'test')
      const keys = await redis.keys('rate-limit:auth:*')
      if (keys.length > 0) await redis.del(keys)
      redis.disconnect()
    },
    grantAdmin: (username) => administer('grant', username),
    setQuota: (username, megabytes) => administer('quota', username, String(megabytes)),
  }
}

/** Collects what the logs must not contain: secrets of account and partner, the customer of print orders, all cookies. */
export async function collectSecrets(browser: Browser | undefined): Promise<string[]> {
  const jars = await Promise.all(browser?.contexts().map((context) => context.cookies()) ?? [])
  const customer = [CUSTOMER.email, CUSTOMER.phone]
  const known = ['over-the-lake', 'pilot@example.test', ...customer, ...Object.values(SANDBOX_CREDENTIALS)]
  return [...known, ...jars.flat().map(({ value }) => value)]
}

/** Starts Chromium with further arguments: Debian's, or the one that `CHROMIUM` names. */
export async function openBrowser(args: string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(`Chromium is missing at ${executablePath}: apt-get install chromium, or set CHROMIUM.`)
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}
