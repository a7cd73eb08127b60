import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@skyfolio/testkit/servers'
import { NO_OUTSIDE_SERVERS } from './outside-servers.ts'
import { root } from './paths.ts'
import type { RuntimeState } from './runtime-file.ts'

/** A whole system, started as by `npm start`, in a runner of its own. */
export interface LaunchedSystem {
  url: string
  /** Of the runner. */
  pid: number
  /** Its output so far. */
  lines: string[]
  /** Its current processes, and the environment of each component. */
  state(): Promise<RuntimeState>
  stop(): Promise<void>
}

/**
 * Starts a system on a free port, with these settings added to those of this process, and stand-ins unless they name other
 * servers. Resolves when it is ready. Always as private processes, which tests measure and kill.
 * @throws Error with the reason and its output when it ends before it is ready
 */
export async function launchSystem(dataDir: string, settings: Record<string, string> = {}): Promise<LaunchedSystem> {
  const port = await freePort()
  const own = { SKYFOLIO_RUNTIME: 'native', SKYFOLIO_DATA: dataDir, SKYFOLIO_PORT: String(port) }
  const standIns = { SKYFOLIO_SANDBOX_PORT: '0', SKYFOLIO_SANDBOX_LATENCY: 'off', SKYFOLIO_MAILBOX_PORT: '0' }
  const env = { ...process.env, ...NO_OUTSIDE_SERVERS, ...standIns, ...settings, ...own }
  await mkdir(dataDir, { recursive: true })
  const runner = spawn(process.execPath, ['deploy/local/run.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // Also when this process exits before the system is ready.
  process.once('exit', () => runner.kill('SIGTERM'))
  const lines: string[] = []
  const log = createWriteStream(join(dataDir, 'output.log'), { mode: 0o600 })
  // When all of its output was read and written.
  const ended = new Promise<void>((resolve) => runner.once('close', () => log.end(resolve)))
  await new Promise<void>((resolve, reject) => {
    for (const stream of [runner.stdout, runner.stderr]) {
      stream.pipe(log, { end: false })
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line.startsWith('Skyfolio is ready')) resolve()
      })
    }
    // After its output was read. The end says why, and of a long message only the beginning may be kept.
    runner.once('close', (code, signal) => {
      const end = lines.filter((line) => line.trim() !== '').slice(-3)
      const reason = `The system ended (${signal ?? `exit code ${code}`}) before it was ready:\n${end.join('\n')}`
      reject(new Error(`${reason}\nIts whole output:\n${lines.join('\n')}`))
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: runner.pid ?? 0,
    lines,
    state: async () => JSON.parse(await readFile(join(dataDir, 'runtime.json'), 'utf8')),
    stop: async () => {
      runner.kill('SIGTERM')
      await ended
    },
  }
}
