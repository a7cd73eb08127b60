import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RunningServer, StartOptions, TestServer, TestServerOptions } from '../servers/index.ts'
import * as native from '../servers/index.ts'
import { testDirectory } from './temp-directory.ts'

const inContainers = process.env.SKYFOLIO_RUNTIME === 'docker'
// Loaded on demand: it is large.
const containers = () => import('./containers.ts')

export async function startPostgres(options: TestServerOptions = {}): Promise<TestServer> {
  if (inContainers) return (await containers()).postgres(options)
  // Its superuser could run programs as the user of the tests.
  const password = randomBytes(16).toString('hex')
  return startNative('postgres', options, (start) => native.startPostgres({ ...start, password }))
}

export async function startRedis(options: TestServerOptions = {}): Promise<TestServer> {
  if (inContainers) return (await containers()).redis(options)
  return startNative('redis', options, native.startRedis)
}

export async function startNats(options: TestServerOptions = {}): Promise<TestServer> {
  if (inContainers) return (await containers()).nats(options)
  return startNative('nats', options, native.startNats)
}

/** Whether this machine can start a MinIO; without it its tests are skipped, except in CI, where they then fail. */
export async function hasMinio(): Promise<boolean> {
  return inContainers || Boolean(process.env.CI) || (await native.findMinio()) !== null
}

/** MinIO with `MINIO_CREDENTIALS`. */
export async function startMinio(): Promise<TestServer> {
  if (inContainers) return (await containers()).minio()
  return startNative('minio', {}, native.startMinio)
}

/** versitygw with `MINIO_CREDENTIALS`; always a process of this machine. */
export function startVersityGw(): Promise<TestServer> {
  return startNative('versitygw', {}, native.startVersityGw)
}

/** Removes the containers that this run of tests, or one that was killed, has started; without Docker there are none. */
export async function removeContainers(): Promise<void> {
  if (inContainers) await (await containers()).removeContainers()
}

async function startNative(
  name: string,
  options: TestServerOptions,
  launch: (options: StartOptions) => Promise<RunningServer>,
): Promise<TestServer> {
  const dataDir = join(testDirectory(), `${name}-${randomUUID()}`)
  const durable = options.durable ?? false
  const port = await native.freePort()
  const start = () => launch({ dataDir, port, durable, ...(options.config && { config: options.config }) })
  let running = await start()
  return {
    url: running.url,
    stop: () => running.stop(),
    kill: () => running.kill(),
    start: async () => {
      running = await start()
    },
  }
}
