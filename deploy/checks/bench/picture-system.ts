import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, MINIO_CREDENTIALS, startMinio } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { launchSystem } from '../../local/launch.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { type Reference, startReference } from './picture-reference-server.ts'

export const BUCKET = 'skyfolio'
const NO_LIMIT = '1000000000'

/** As shipped, but one address may send everything, and Node's heap is that of the images, not that of the local runner. */
const SETTINGS = {
  REQUESTS_PER_MINUTE: NO_LIMIT,
  PAGES_PER_MINUTE_OF_ADDRESS: NO_LIMIT,
  VOTES_PER_MINUTE_OF_ADDRESS: NO_LIMIT,
  VOTES_PER_MINUTE_OF_VOTER: NO_LIMIT,
  SKYFOLIO_HEAP: 'default',
}

const MEASURED = ['gateway', 'media', 'folders', 'postgres', 'nats', 'redis'] as const
export type MeasuredProcess = (typeof MEASURED)[number] | 'minio' | 'proxy' | 'static'
export type CpuSeconds = Record<MeasuredProcess, number>

export interface BenchSystem {
  port: number
  owner: SignedInClient
  pids: Record<MeasuredProcess, number>
  env: RuntimeState['env']
  /** The system's MinIO. */
  store: Client
  storePort: number
  reference: Reference
  /** A temporary directory, removed by `close`. */
  directory: string
  readCpu(): Promise<CpuSeconds>
  close(): Promise<void>
}

/** Starts a complete system as `npm start` does, with a MinIO of its own, one user, and the reference. */
export async function startBenchSystem(): Promise<BenchSystem> {
  const directory = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // When root runs this, PostgreSQL runs as another user.
  await chmod(directory, 0o755)
  const minio = await startMinio({ dataDir: join(directory, 'minio') })
  const system = await launchSystem(join(directory, 'data'), {
    ...SETTINGS,
    S3_ENDPOINT: minio.url,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  })
  const reference = await startReference(directory)
  const { processes, env } = await system.state()
  const pidOf = (name: string) => processes.find((process) => process.name === name)?.pid ?? 0
  const services = Object.fromEntries(MEASURED.map((name) => [name, pidOf(name)]))
  const pids = { ...services, minio: minio.pid, ...reference.pids } as BenchSystem['pids']
  const storePort = Number(new URL(minio.url).port)
  return {
    port: Number(new URL(system.url).port),
    owner: await openSignedInClient(system.url, { username: 'bench', password: randomUUID() }),
    pids,
    env,
    store: new Client({ endPoint: '127.0.0.1', port: storePort, useSSL: false, ...MINIO_CREDENTIALS }),
    storePort,
    reference,
    directory,
    readCpu: () => readCpu(pids),
    async close() {
      await reference.stop()
      await system.stop()
      await minio.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function readCpu(pids: BenchSystem['pids']): Promise<CpuSeconds> {
  const read = async ([name, pid]: [string, number]) =>
    [name, (await cpuSeconds(pid, { children: name === 'postgres' })) ?? 0] as const
  return Object.fromEntries(await Promise.all(Object.entries(pids).map(read))) as CpuSeconds
}
