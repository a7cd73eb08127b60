import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '@skyfolio/kit'
import { type Browser, chromium } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'
import { keepLogs } from './logs.ts'

/** A whole system with data of its own, which goes with it. */
export interface TestSystem {
  url: string
  /** Runs SQL in a service's database: for what time has made and no request can. */
  sql(service: string, text: string): Promise<void>
  /** Keeps its logs for the test of them, in which none of these secrets may stand. */
  stop(secrets: string[]): Promise<void>
}

export async function startSystem(): Promise<TestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
  const { url, state, stop, lines } = await launchSystem(dataDir, { LOG_LEVEL: 'trace' })
  return {
    url,
    sql: async (service, text) => {
      const pool = openPool((await state()).env[service]?.DATABASE_URL ?? '', { max: 1 })
      await pool.query(text).finally(() => pool.end())
    },
    stop: async (secrets) => {
      await stop()
      await keepLogs(dataDir, lines, secrets)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** What the logs of a run must not hold: the account's secrets, and the cookies of every open window. */
export async function collectSecrets(browser: Browser | undefined): Promise<string[]> {
  const jars = await Promise.all(browser?.contexts().map((context) => context.cookies()) ?? [])
  return ['over-the-lake', 'pilot@example.test', ...jars.flat().map(({ value }) => value)]
}

/** A real Chromium. It is Debian's, or the one that `CHROMIUM` names. */
export async function openBrowser(): Promise<Browser> {
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
    ],
  })
}
