import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '@skyfolio/kit'
import { type Browser, chromium } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'

/** A whole system with data of its own, which goes with it. */
export interface TestSystem {
  url: string
  /** Runs SQL in a service's database: for what time has made and no request can. */
  sql(service: string, text: string): Promise<void>
  stop(): Promise<void>
}

export async function startSystem(): Promise<TestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
  const { url, state, stop } = await launchSystem(dataDir)
  return {
    url,
    sql: async (service, text) => {
      const pool = openPool((await state()).env[service]?.DATABASE_URL ?? '', { max: 1 })
      await pool.query(text).finally(() => pool.end())
    },
    stop: async () => {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
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
