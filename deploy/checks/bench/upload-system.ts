import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds, MINIO_CREDENTIALS, startMinio } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { launchSystem } from '../../local/launch.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { putObject, uploadFile } from './upload-client.ts'

const MEASURED = ['gateway', 'media', 'media-worker', 'postgres'] as const
const DIRECT_BUCKET = 'direct'

export type MeasuredProcess = (typeof MEASURED)[number] | 'minio'
/** CPU seconds of each process and of this one. */
export type CpuSeconds = Record<MeasuredProcess | 'client', number>

export interface BenchSystem {
  pids: Record<MeasuredProcess, number>
  /** Uploads a file through the gateway. */
  uploadThroughGateway(file: Uint8Array[]): Promise<void>
  /** Puts a file directly into the system's MinIO. */
  putIntoMinio(file: Uint8Array[]): Promise<void>
  readCpu(): Promise<CpuSeconds>
  /** Resolves when no photo waits for processing. */
  waitUntilProcessed(): Promise<void>
  close(): Promise<void>
}

/** Starts a complete system as `npm start` does, with a MinIO of its own and one user. */
export async function startBenchSystem(): Promise<BenchSystem> {
  const directory = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // When root runs this, PostgreSQL runs as another user.
  await chmod(directory, 0o755)
  const minio = await startMinio({ dataDir: join(directory, 'minio') })
  const system = await launchSystem(join(directory, 'data'), {
    OBJECT_STORE: 's3',
    S3_ENDPOINT: minio.url,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  })
  const { processes, env } = await system.state()
  const pidOf = (name: string) => processes.find((process) => process.name === name)?.pid ?? 0
  const services = Object.fromEntries(MEASURED.map((name) => [name, pidOf(name)]))
  const pids = { ...services, minio: minio.pid } as BenchSystem['pids']
  const { cookie } = await openSignedInClient(system.url, { username: 'bench', password: randomUUID() })
  const store = new Client({
    endPoint: '127.0.0.1',
    port: Number(new URL(minio.url).port),
    useSSL: false,
    ...MINIO_CREDENTIALS,
  })
  await store.makeBucket(DIRECT_BUCKET)
  const metrics = `http://127.0.0.1:${env['media-worker']?.OPS_PORT}/metrics`

  return {
    pids,
    uploadThroughGateway: (file) => uploadFile(system.url, cookie, file),
    putIntoMinio: async (file) => putObject(await store.presignedPutObject(DIRECT_BUCKET, randomUUID(), 3600), file),
    readCpu: () => readCpu(pids),
    waitUntilProcessed: () => waitUntilProcessed(metrics),
    async close() {
      await system.stop()
      await minio.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function readCpu(pids: BenchSystem['pids']): Promise<CpuSeconds> {
  const read = async ([name, pid]: [string, number]) => {
    const seconds = await cpuSeconds(pid, { children: name === 'postgres' })
    return [name, seconds ?? 0] as const
  }
  const { user, system } = process.cpuUsage()
  const parts = Object.fromEntries(await Promise.all(Object.entries(pids).map(read)))
  return { ...(parts as Record<MeasuredProcess, number>), client: (user + system) / 1e6 }
}

async function waitUntilProcessed(metrics: string): Promise<void> {
  for (;;) {
    const waiting = /^skyfolio_photos_waiting\{[^}]*\} (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1]
    if (waiting === undefined) throw new Error('the worker has no metric of waiting photos')
    if (waiting === '0') return
    await delay(250)
  }
}
