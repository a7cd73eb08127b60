import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { type MailboxClient, mailboxAt } from '@skyfolio/mailbox'
import { type Browser, chromium } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { SANDBOX_CREDENTIALS } from '../../local/services.ts'
import { keepLogs } from './logs.ts'
import { CUSTOMER } from './print-orders.ts'

/** A complete system with private data, which is deleted with it. */
export interface TestSystem {
  url: string
  /** URL of the control API of the print partner's stand-in, and its key. */
  sandboxUrl: string
  sandboxKey: string
  /** The mailbox to which its mails go. */
  mailbox: MailboxClient
  /** Runs SQL in a service's database, for states that no request can create. */
  sql(service: string, text: string): Promise<void>
  /** Makes a user an administrator, as `npm run admin` does. */
  grantAdmin(username: string): Promise<void>
  /** Limits the storage of a user, as `npm run admin` does. */
  setQuota(username: string, megabytes: number): Promise<void>
  /** Stops it and keeps its logs for the log test; they must not contain these secrets. */
  stop(secrets: string[]): Promise<void>
}

/** Starts a system, with these settings added to its own. */
export async function startSystem(settings: Record<string, string> = {}): Promise<TestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
  const { url, state, stop, lines } = await launchSystem(dataDir, { LOG_LEVEL: 'trace', ...settings })
  const { partnerSandbox, mailbox } = await state()
  /** Runs `npm run admin`. */
  async function administer(...args: string[]): Promise<void> {
    const command = ['deploy/local/run-operator-command.ts', 'admin', ...args]
    await promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, SKYFOLIO_DATA: dataDir } })
  }

  return {
    url,
    sandboxUrl: partnerSandbox?.controlUrl ?? '',
    sandboxKey: partnerSandbox?.controlKey ?? '',
    mailbox: mailboxAt(mailbox?.url ?? '', mailbox?.key),
    sql: async (service, text) => {
      const pool = openPool((await state()).env[service]?.DATABASE_URL ?? '', { max: 1 })
      await pool.query(text).finally(() => pool.end())
    },
    grantAdmin: (username) => administer('grant', username),
    setQuota: (username, megabytes) => administer('quota', username, String(megabytes)),
    stop: async (secrets) => {
      await stop()
      await keepLogs(dataDir, lines, secrets)
      await rm(dataDir, { recursive: true, force: true })
    },
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
