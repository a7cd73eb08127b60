import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cpuSeconds, MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import type { RuntimeState } from '../../local/runtime-file.ts'
import { startStore, startSystem } from '../harness.ts'
import { createPhotos } from '../load/large-photos.ts'
import { type SeededFolder, type SeededFolders, seedFolders } from '../load/seed-folders.ts'
import { startNodePair } from './node-pair.ts'

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
  url: string
  port: number
  owner: SeededFolders['owner']
  folder: SeededFolder
  pids: Record<MeasuredProcess, number>
  env: RuntimeState['env']
  /** The system's MinIO. */
  store: Client
  storePort: number
  reference: Reference
  /** For files of the benchmark. */
  directory: string
  readCpu(): Promise<CpuSeconds>
}

/** @fastify/static behind @fastify/http-proxy. */
export interface Reference {
  port: number
  /** What it serves: `<files>/x` is at `/x`. */
  files: string
}

const portOf = (url: string) => Number(new URL(url).port)

/** Starts a complete system as `npm start` does, with a MinIO of its own, a public folder of photos, and the reference. */
export async function startBenchSystem(directory: string, photos: number): Promise<BenchSystem> {
  const minio = await startStore(directory)
  const system = await startSystem(directory, { ...SETTINGS, ...minio.settings })
  const files = join(directory, 'files')
  await mkdir(files)
  const pair = await startNodePair('deploy/checks/bench/picture-reference.ts', directory, 'static', 'proxy', files)
  const { processes, env } = await system.state()
  const pidOf = (name: string) => processes.find((process) => process.name === name)?.pid ?? 0
  const services = Object.fromEntries(MEASURED.map((name) => [name, pidOf(name)]))
  const pids = { ...services, minio: minio.pid(), ...pair.pids } as BenchSystem['pids']
  const account = { username: 'bench', password: randomUUID() }
  const size = { folders: 1, photos, areRendered: true }
  const { owner, folders } = await seedFolders(system.url, account, size, createPhotos(photos))
  const storePort = portOf(minio.url)
  return {
    url: system.url,
    port: portOf(system.url),
    owner,
    folder: folders[0] as SeededFolder,
    pids,
    env,
    store: new Client({ endPoint: '127.0.0.1', port: storePort, useSSL: false, ...MINIO_CREDENTIALS }),
    storePort,
    reference: { port: portOf(pair.url), files },
    directory,
    readCpu: () => readCpu(pids),
  }
}

async function readCpu(pids: BenchSystem['pids']): Promise<CpuSeconds> {
  const read = async ([name, pid]: [string, number]) =>
    [name, (await cpuSeconds(pid, { children: name === 'postgres' })) ?? 0] as const
  return Object.fromEntries(await Promise.all(Object.entries(pids).map(read))) as CpuSeconds
}
