import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds, MINIO_CREDENTIALS, startMinio } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { launchSystem } from '../../local/launch.ts'
import { openSession } from '../../local/session.ts'
import { put, upload } from './send.ts'

const SERVICES = ['gateway', 'media', 'media-worker', 'postgres'] as const
const DIRECT_BUCKET = 'direct'

export type Part = (typeof SERVICES)[number] | 'minio'
/** CPU seconds of each part and of this process. */
export type Cpu = Record<Part | 'client', number>

export interface World {
  pids: Record<Part, number>
  /** Uploads a file through the gateway. */
  through(file: Uint8Array[]): Promise<void>
  /** Puts a file straight into the MinIO that the system uses. */
  direct(file: Uint8Array[]): Promise<void>
  cpu(): Promise<Cpu>
  /** Resolves when no photo waits for the worker. */
  untilProcessed(): Promise<void>
  close(): Promise<void>
}

/** A whole system, as `npm start` starts it, on a MinIO of its own, and one user in it. */
export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this is run by root.
  await chmod(folder, 0o755)
  const minio = await startMinio({ dataDir: join(folder, 'minio') })
  const system = await launchSystem(join(folder, 'data'), {
    OBJECT_STORE: 's3',
    S3_ENDPOINT: minio.url,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  })
  const { processes, env } = await system.state()
  const pidOf = (name: string) => processes.find((process) => process.name === name)?.pid ?? 0
  const services = Object.fromEntries(SERVICES.map((name) => [name, pidOf(name)]))
  const pids = { ...services, minio: minio.pid } as World['pids']
  const { cookie } = await openSession(system.url, { username: 'bench', password: randomUUID() })
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
    through: (file) => upload(system.url, cookie, file),
    direct: async (file) => put(await store.presignedPutObject(DIRECT_BUCKET, randomUUID(), 3600), file),
    cpu: () => readCpu(pids),
    untilProcessed: () => untilProcessed(metrics),
    async close() {
      await system.stop()
      await minio.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function readCpu(pids: World['pids']): Promise<Cpu> {
  const read = async ([name, pid]: [string, number]) => {
    const seconds = await cpuSeconds(pid, { children: name === 'postgres' })
    return [name, seconds ?? 0] as const
  }
  const { user, system } = process.cpuUsage()
  const parts = Object.fromEntries(await Promise.all(Object.entries(pids).map(read)))
  return { ...(parts as Record<Part, number>), client: (user + system) / 1e6 }
}

async function untilProcessed(metrics: string): Promise<void> {
  for (;;) {
    const waiting = /^skyfolio_photos_waiting\{[^}]*\} (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1]
    if (waiting === undefined) throw new Error('the worker does not tell how many photos wait')
    if (waiting === '0') return
    await delay(250)
  }
}
