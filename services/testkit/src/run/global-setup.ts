import type { TestProject } from 'vitest/node'
import { removeContainers, startNats, startPostgres, startRedis } from './start-servers.ts'
import { removeDirectory, removeLeftovers, testDirectory } from './temp-directory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    servers: { postgresUrl: string; redisUrl: string; natsUrl: string }
  }
}

/** Starts the servers that all test files of a run share; they stop with the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  await removeContainers()
  const [postgres, redis, nats] = await Promise.all([startPostgres(), startRedis(), startNats()])
  project.provide('servers', { postgresUrl: postgres.url, redisUrl: redis.url, natsUrl: nats.url })
  return async () => {
    await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
    await removeContainers()
    await removeDirectory(testDirectory())
  }
}
