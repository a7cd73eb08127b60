import { randomBytes, randomUUID } from 'node:crypto'
import { cpuSeconds, MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { componentNames } from '../../components.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { cleanups, startStore, startSystem } from '../harness.ts'
import { startNodePair } from './node-pair.ts'
import { send } from './upload-client.ts'
import { createWays, type UploadAll, type Way } from './upload-ways.ts'

const MEASURED = [...componentNames(), 'postgres', 'redis', 'nats']
const BARE_BUCKET = 'bare'

/** Those that are read by their name; the others are only listed. `runner` passes on the log lines of all, as a container runtime does. */
export type MeasuredProcess = 'gateway' | 'media' | 'media-worker' | 'minio' | 'proxy' | 'handler' | 'runner'
/** CPU seconds of each process and of this one. */
export type CpuSeconds = Record<MeasuredProcess | 'client', number>

export interface BenchSystem {
  pids: Record<MeasuredProcess, number>
  ways: Record<Way, UploadAll>
  readCpu(): Promise<CpuSeconds>
}

/**
 * Starts a complete system as `npm start` does, with a MinIO of its own that browsers can reach, one user, and the reference. Node's
 * heap is that of the images, not that of the local runner, and the worker is suspended: it processes nothing.
 */
export async function startBenchSystem(folder: string): Promise<BenchSystem> {
  const store = await startStore(folder)
  const system = await startSystem(folder, {
    ...store.settings,
    SKYFOLIO_HEAP: 'default',
    S3_PUBLIC_ENDPOINT: store.url,
  })
  const pair = await startNodePair('deploy/checks/bench/upload-pair-server.ts', folder, 'handler', 'proxy')
  const { processes } = await system.state()
  const pidOf = (name: string) => processes.find((process) => process.name === name)?.pid ?? 0
  const services = Object.fromEntries(MEASURED.map((name) => [name, pidOf(name)]))
  const pids = { ...services, ...pair.pids, minio: store.pid(), runner: system.pid } as BenchSystem['pids']
  process.kill(pids['media-worker'], 'SIGSTOP')
  // A suspended process does not receive SIGTERM.
  cleanups.push(async () => process.kill(pids['media-worker'], 'SIGCONT'))
  const { cookie } = await openSignedInClient(system.url, { username: 'bench', password: randomUUID() })
  const presignPut = await openBareBucket(new URL(store.url))
  const ways = createWays({ origin: system.url, cookie, pairUrl: pair.url, presignPut })
  return { pids, ways, readCpu: () => readCpu(pids) }
}

/** A bucket for the references, in which the store compares the SHA-256 of what it gets. */
async function openBareBucket(url: URL): Promise<() => Promise<string>> {
  const options = { endPoint: url.hostname, port: Number(url.port), useSSL: false }
  const store = new Client({ ...options, ...MINIO_CREDENTIALS })
  await store.makeBucket(BARE_BUCKET)
  const presignPut = () => store.presignedPutObject(BARE_BUCKET, randomUUID(), 3600)
  const wrong = { 'x-amz-checksum-sha256': randomBytes(32).toString('base64') }
  const compares = await send('PUT', await presignPut(), wrong, [randomBytes(1000)]).then(
    () => false,
    () => true,
  )
  if (!compares) throw new Error('the store does not compare checksums')
  return presignPut
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
