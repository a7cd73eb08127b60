import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@skyfolio/kit/servers'
import { type Browser, chromium } from 'playwright-core'
import { root } from '../../local/paths.ts'

/** A whole system, started as `npm start` does, with data of its own. */
export interface TestSystem {
  url: string
  dataDir: string
  stop(): Promise<void>
}

export async function startSystem(): Promise<TestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
  // Run by root, PostgreSQL belongs to another user, who must reach its folder in here.
  await chmod(dataDir, 0o755)
  const port = await freePort()
  const env = { ...process.env, SKYFOLIO_DATA: dataDir, SKYFOLIO_PORT: String(port) }
  const runner = spawn(process.execPath, ['deploy/local/run.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => runner.once('exit', () => resolve()))
  await ready(runner)
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    stop: async () => {
      runner.kill('SIGTERM')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function ready(runner: ChildProcess): Promise<void> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    for (const stream of [runner.stdout, runner.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line.startsWith('Skyfolio is ready')) resolve()
      })
    }
    runner.once('exit', () => reject(new Error(`The system ended before it was ready:\n${lines.join('\n')}`)))
  })
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
