import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger, openRedis } from '@skyfolio/kit'
import { openQueue, startWorker } from '@skyfolio/kit/queue'
import { startRedis, startTcpProxy, testDirectory, waitFor } from '@skyfolio/testkit'
import { findRedis, freePort, pingRedis, startProcess } from '@skyfolio/testkit/servers'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { redisOptions } from '../src/redis/redis.ts'

test('commands fail at once while Redis is unavailable, and work again after the outage', async () => {
  const server = await startRedis()
  const redis = openRedis(server.url, 'test')
  await redis.set('key', 'kept')
  await server.stop()
  await waitFor(() => redis.status !== 'ready', { what: 'the connection to break' })
  const begun = Date.now()
  await expect(redis.get('key')).rejects.toThrow()
  expect(Date.now() - begun).toBeLessThan(1_900)
  await server.start()
  expect(await waitFor(() => redis.get('key'), { what: 'the value' })).toBe('kept')
  redis.disconnect()
  await server.stop()
})

test('the first commands fail soon when Redis is unavailable from the start', async () => {
  const server = await startRedis()
  await server.stop()
  const redis = openRedis(server.url, 'test')
  const begun = Date.now()
  await expect(redis.get('key')).rejects.toThrow()
  expect(Date.now() - begun).toBeLessThan(1_900)
  redis.disconnect()
})

test('a URL gives the options of a server, or of Sentinels', () => {
  const common = { connectTimeout: 2_000, socketTimeout: 5_000 }
  expect(redisOptions('rediss://app:p%40w@cache.example/2', 5_000)).toMatchObject({
    ...{ ...common, host: 'cache.example', port: 6379, username: 'app', password: 'p@w', db: 2, tls: {} },
  })
  expect(
    redisOptions('rediss+sentinel://:pw@a.example,b.example:1/main/3?sentinel_password=s%40', 5_000),
  ).toMatchObject({
    ...{ ...common, name: 'main', password: 'pw', sentinelPassword: 's@', db: 3, tls: {} },
    enableTLSForSentinelMode: true,
    sentinelTLS: {},
    sentinels: [
      { host: 'a.example', port: 26_379 },
      { host: 'b.example', port: 1 },
    ],
  })
})

test.each(['redis+sentinel://a,b', 'redis+sentinel://a,b/', 'redis://a,b'])('%s is rejected', (url) => {
  expect(() => openRedis(url, 'test')).toThrow('REDIS_URL must name')
})

/** Whether the program of Redis on this machine can be a Sentinel: those of containers find none of the others. */
const isNative = process.env.SKYFOLIO_RUNTIME !== 'docker'

describe.runIf(isNative)('with Sentinel', () => {
  /** A master, which clients reach by a proxy, its replica and a Sentinel that promotes it after a second. */
  async function startSentinel() {
    const master = await startRedis()
    const proxy = await startTcpProxy(master.url)
    const { port: masterPort } = new URL(proxy.url)
    const replica = await startRedis({
      config: [`replicaof 127.0.0.1 ${masterPort}`, 'repl-diskless-sync-delay 0', 'repl-timeout 5'],
    })
    const port = await freePort()
    const file = join(testDirectory(), `sentinel-${port}.conf`)
    const monitor = ['down-after-milliseconds main 1000', 'failover-timeout main 3000']
    const lines = [`monitor main 127.0.0.1 ${masterPort} 1`, ...monitor].map((line) => `sentinel ${line}`)
    await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', ...lines, ''].join('\n'))
    const url = `redis://127.0.0.1:${port}`
    const sentinel = await startProcess({
      ...{ name: 'Sentinel', command: await findRedis(), args: [file, '--sentinel'], url },
      ...{ logFile: `${file}.log`, stopSignal: 'TERM', ready: () => pingRedis(url) },
    })
    const admin = new Redis(url)
    onTestFinished(async () => {
      admin.disconnect()
      await proxy.close()
      await Promise.all([sentinel.stop(), master.stop(), replica.stop()])
    })
    const known = async () => ((await admin.call('SENTINEL', 'REPLICAS', 'main')) as string[][])[0]?.join()
    await waitFor(async () => (await known())?.includes('master-link-status,ok'), {
      what: 'the replica',
      timeoutMs: 20_000,
    })
    return { proxy, url: `redis+sentinel://127.0.0.1:${port}/main` }
  }

  test('connections and workers go on with the new master when the old one says nothing any more', async () => {
    const { proxy, url } = await startSentinel()
    const redis = openRedis(url, 'test')
    const done: number[] = []
    const queue = openQueue<{ n: number }>('failover', url)
    const logger = createLogger('test', 'silent')
    const worker = startWorker<{ n: number }>('failover', url, async ({ data }) => void done.push(data.n), {
      ...{ concurrency: 1, logger },
    })
    await redis.set('key', 'kept')
    await (await queue.ready()).add('job', { n: 1 })
    await waitFor(() => done.length === 1, { what: 'the first job' })

    proxy.freeze()
    await waitFor(() => redis.set('key', 'changed').catch(() => null), { what: 'a write', timeoutMs: 20_000 })
    await waitFor(async () => (await queue.ready()).add('job', { n: 2 }).catch(() => null), { what: 'the second job' })
    // A repeated attempt to add it may have added it twice.
    await waitFor(() => done.includes(2), { what: 'its end', timeoutMs: 40_000 })
    expect(await redis.get('key')).toBe('changed')
    await worker.stop()
    await queue.close()
    redis.disconnect()
  })
})
