import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { cleanups, waitFor } from '../harness.ts'
import { type Clock, createClock } from './clock.ts'
import { startNatsCluster } from './nats.ts'
import { NetworkThread } from './network-thread.ts'
import { startObjectStore } from './objects.ts'
import { startPostgresPair } from './postgres.ts'
import { startRedisWithSentinels } from './redis.ts'
import type { LedStore, Store, StoreContext } from './store-node.ts'

/** The stores of a production: everything that may die has a copy. */
export interface Topology {
  network: NetworkThread
  stores: Record<'postgres' | 'nats' | 'redis', LedStore> & Record<'sentinels' | 'objects', Store>
  takeDrive: (index: number) => Promise<() => Promise<void>>
  clock: Clock
  /** For a system that uses it. */
  settings: Record<string, string>
}

export interface TopologyOptions {
  /** Skyfolio reaches PostgreSQL through the PgBouncers. */
  pooler: boolean
  /** The node whose clock is set, if it is not one of Skyfolio's processes. */
  clockOf?: string | undefined
}

const WHOLE_WITHIN_MS = 120_000

/** Starts all stores as processes of this machine, which the end of the check stops. */
export async function startTopology(parent: string, { pooler, clockOf }: TopologyOptions): Promise<Topology> {
  const folder = join(parent, 'stores')
  await mkdir(folder, { mode: 0o755 })
  const network = new NetworkThread()
  cleanups.push(() => network.close())
  const clock = await createClock(folder)
  const context: StoreContext = {
    folder,
    network,
    password: randomBytes(16).toString('hex').replace(/\d/g, 'x'),
    clockEnv: (node) => (node === clockOf ? clock.env : undefined),
    async add(node) {
      cleanups.push(() => node.stop())
      await node.start()
    },
  }
  const postgres = await startPostgresPair(context)
  const nats = await startNatsCluster(context)
  const redis = await startRedisWithSentinels(context)
  const objects = await startObjectStore(context)
  const topology: Topology = {
    network,
    stores: {
      postgres: postgres.store,
      nats: nats.store,
      redis: redis.store,
      sentinels: redis.sentinels,
      objects: objects.store,
    },
    takeDrive: objects.takeDrive,
    clock,
    settings: {
      SKYFOLIO_POSTGRES_URL: pooler ? postgres.poolerUrl : postgres.url,
      SKYFOLIO_MIGRATIONS_URL: postgres.url,
      SKYFOLIO_REDIS_URL: redis.url,
      SKYFOLIO_NATS_URL: nats.url,
      NATS_REPLICAS: '3',
      S3_ENDPOINT: objects.url,
      S3_PUBLIC_ENDPOINT: objects.url,
      S3_BUCKET: 'skyfolio',
      S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
      S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
    },
  }
  await untilWhole(topology)
  return topology
}

/** @throws Error that names the stores that lack something */
export async function untilWhole({ stores }: Topology): Promise<void> {
  const missing = new Set(Object.keys(stores))
  const areWhole = async () => {
    for (const [name, store] of Object.entries(stores)) {
      if (await store.isWhole().catch(() => false)) missing.delete(name)
      else missing.add(name)
    }
    return missing.size === 0
  }
  if ((await waitFor(WHOLE_WITHIN_MS, areWhole, 500)) === null)
    throw new Error(`not whole within ${WHOLE_WITHIN_MS / 1000} s: ${[...missing].join(', ')}`)
}
