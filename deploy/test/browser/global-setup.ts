import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { streetsAround } from '../../../services/media/test/fixtures/streets.ts'
import { launchSystem } from '../../local/launch.ts'
import { LAKE } from './gallery-photos.ts'
import { removeKeptLogs } from './logs.ts'
import { SHARED_SETTINGS } from './test-system.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    systems: { url: string; dataDir: string }[]
  }
}

/** Starts the systems that journeys share, one for each worker, and stops them after the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeKeptLogs()
  const workers = Number(project.vitest.projects.find(({ name }) => name === 'journeys')?.config.maxWorkers ?? 1)
  const dataDirs = await Promise.all(
    Array.from({ length: workers }, () => mkdtemp(join(tmpdir(), 'skyfolio-browser-'))),
  )
  const streets = await streetsAround(LAKE.latitude, LAKE.longitude)
  const launches = await Promise.allSettled(
    dataDirs.map(async (dataDir) => {
      const BASE_MAP_DETAIL_FILE = join(dataDir, 'streets.pmtiles')
      await writeFile(BASE_MAP_DETAIL_FILE, streets)
      return launchSystem(dataDir, { ...SHARED_SETTINGS, BASE_MAP_DETAIL_FILE })
    }),
  )
  const systems = launches.flatMap((launch) => (launch.status === 'fulfilled' ? [launch.value] : []))
  async function stop(): Promise<void> {
    await Promise.all(systems.map((system) => system.stop()))
    for (const dataDir of dataDirs) await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  for (const launch of launches) {
    if (launch.status === 'fulfilled') continue
    await stop()
    throw launch.reason
  }
  project.provide(
    'systems',
    systems.map(({ url }, index) => ({ url, dataDir: dataDirs[index] ?? '' })),
  )
  return stop
}
