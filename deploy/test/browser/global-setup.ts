import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { launchSystem } from '../../local/launch.ts'
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
  const systems = await Promise.all(
    Array.from({ length: workers }, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-browser-'))
      return { ...(await launchSystem(dataDir, SHARED_SETTINGS)), dataDir }
    }),
  )
  project.provide(
    'systems',
    systems.map(({ url, dataDir }) => ({ url, dataDir })),
  )
  return async () => {
    await Promise.all(
      systems.map(async ({ stop, dataDir }) => {
        await stop()
        await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
      }),
    )
  }
}
