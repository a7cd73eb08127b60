import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, MINIO_CREDENTIALS, type RunningServer, startMinio } from '@skyfolio/testkit/servers'
import { type LaunchedSystem, launchSystem } from '../local/launch.ts'

// What every check that starts something has in common.

/** Ends what a check has started; the last one added runs first. */
export const cleanups: (() => Promise<unknown>)[] = []
let cleaningUp: Promise<void> | undefined

/** Stops everything that this check started. */
export function cleanUp(): Promise<void> {
  cleaningUp ??= (async () => {
    for (const end of cleanups.reverse()) await end().catch((error) => console.error(error))
  })()
  return cleaningUp
}

/** Cleans up on signals, and aborts the check after the timeout. */
export function limitRun(timeoutMs: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void cleanUp().then(() => process.exit(130)))
  }
  setTimeout(() => {
    console.error(`\nThe run did not end within ${timeoutMs / 1000} s.`)
    void cleanUp().then(() => process.exit(1))
  }, timeoutMs).unref()
}

/** Runs a check in a folder of its own, which is removed when it succeeds. Ends all that it started. */
export async function runCheck(timeoutMs: number, check: (folder: string) => Promise<void>): Promise<void> {
  limitRun(timeoutMs)
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-check-'))
  // When root runs this, PostgreSQL runs as another user.
  await chmod(folder, 0o755)
  let isKept = true
  cleanups.push(async () => {
    if (isKept) console.log(`Data and logs are kept in ${folder}.`)
    else await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  try {
    await check(folder)
    isKept = Boolean(process.exitCode)
  } finally {
    await cleanUp()
  }
}

/** Starts a complete system in the folder. */
export async function startSystem(folder: string, settings: Record<string, string> = {}): Promise<LaunchedSystem> {
  const system = await launchSystem(join(folder, 'data'), settings)
  cleanups.push(() => system.stop())
  return system
}

/** A MinIO of the check's own, independent of the system's runner. */
export interface Store {
  url: string
  /** For a system that uses it. */
  settings: Record<string, string>
  pid(): number
  /** After it was killed. */
  restart(): Promise<void>
}

export async function startStore(folder: string): Promise<Store> {
  const options = { dataDir: join(folder, 'minio'), port: await freePort() }
  let running: RunningServer = await startMinio(options)
  cleanups.push(() => running.stop())
  const settings = {
    S3_ENDPOINT: running.url,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  }
  return {
    url: running.url,
    settings,
    pid: () => running.pid,
    async restart() {
      await running.exited
      running = await startMinio(options)
    },
  }
}

/** Waits until `done` returns true. Returns the elapsed milliseconds, or null after the timeout. */
export async function waitFor(withinMs: number, done: () => Promise<boolean>, everyMs = 200): Promise<number | null> {
  const start = Date.now()
  while (Date.now() - start < withinMs) {
    if (await done().catch(() => false)) return Date.now() - start
    await delay(everyMs)
  }
  return null
}

/** Works on the values, so many at a time. */
export async function inParallel<T>(values: T[], atOnce: number, work: (value: T) => Promise<void>): Promise<void> {
  const waiting = values.values()
  const workNext = async () => {
    for (const value of waiting) await work(value)
  }
  await Promise.all(Array.from({ length: atOnce }, workNext))
}

/** The value in the middle; NaN without values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
